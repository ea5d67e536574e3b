"""What users touch: the command, the fixture, names of the package, pictures, calibration, events."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import dpwitness as dpw
from dpwitness.cli import main
from dpwitness.core.errors import BadInput
from dpwitness.pictures.accounts import draw_curve, draw_loss, draw_steps
from dpwitness.plugin.accounting import check_account
from dpwitness.proofs.accounting.events import account
from dpwitness.proofs.accounting.peers import ask
from dpwitness.proofs.accounting.steps import NoProvedPair
from dpwitness.proofs.kernel.check import check

F = Fraction
TRAINING = "poisson(0.01, gaussian(1.0)) * 1000"


def test_the_command_prints_a_bracket(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["account", TRAINING, "--delta", "1e-5", "--explain"]) == 0
    out = capsys.readouterr().out
    assert "epsilon at delta 1e-5: 1.82823666651" in out
    assert "trusted: python-flint" in out


def test_a_claim_is_decided_with_a_certificate(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "c.json"
    claim = ["account", TRAINING, "--delta", "1e-5", "--certificate", str(path), "--epsilon"]
    assert main([*claim, "1.9"]) == 0
    assert "PROVED" in capsys.readouterr().out
    assert not check(json.loads(path.read_text())).refutes
    assert main([*claim, "1.8"]) == 1
    assert "REFUTED" in capsys.readouterr().out
    assert check(json.loads(path.read_text())).refutes


def test_what_is_not_decided_has_no_certificate(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path, found = tmp_path / "c.json", (dpw.laplace(2) * 10).delta(3)
    between = str((F(found.low) + F(found.high)) / 2)
    given = ["account", "laplace(2) * 10", "--epsilon", "3", "--delta", between, "--certificate", str(path)]
    assert main(given) == 0
    assert main([*given, "--strict"]) == 3
    out = capsys.readouterr().out
    assert "UNDECIDED" in out
    assert "no certificate is written" in out
    assert not path.exists()


def test_a_certificate_is_checked_from_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "c.json"
    main(["account", f"{TRAINING} + laplace(2)", "--epsilon", "3", "--delta", "1e-5", "--certificate", str(path)])
    capsys.readouterr()
    assert main(["check", str(path)]) == 0
    said = capsys.readouterr().out
    assert "1000 × poisson-gaussian(1/100, 1); 1 × laplace(1/2), composed adaptively, neighbours add-remove" in said
    assert "epsilon = 3, delta = 1/100000 holds" in said
    assert "assumes Blackwell" in said
    changed = json.loads(path.read_text())
    changed["guarantee"]["epsilon"] = "2"
    path.write_text(json.dumps(changed))
    assert main(["check", str(path)]) == 1
    assert "INVALID" in capsys.readouterr().out


def test_a_training_run_with_a_false_claim_fails(tmp_path: Path) -> None:
    path = tmp_path / "run.toml"
    run = 'sampling="poisson"\nbatch_size=100\ndata_size=10000\nepochs=10\nnoise_multiplier=1\ndelta=1e-5\n'
    path.write_text(f"[account]\n{run}epsilon=1.9\n")
    assert main(["account", str(path)]) == 0
    path.write_text(f"[account]\n{run}epsilon=1.8\n")
    assert main(["account", str(path)]) == 1


@pytest.mark.parametrize(
    "given", [["gaussian(1)"], ["gaussian(0)", "--delta", "1e-5"], ["nothing.toml"], ["gaussian(1)", "--delta", "2"],
              [TRAINING, "--delta", "1e-5", "--relation", "replace"]]
)  # fmt: skip
def test_wrong_usage_has_status_two(given: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["account", *given]) == 2
    assert capsys.readouterr().err.startswith("dpwitness: ")


def test_the_fixture_fails_what_is_refuted(assert_account: Any) -> None:
    assert assert_account is check_account
    assert_account(TRAINING, epsilon="1.9", delta="1e-5")
    with pytest.raises(pytest.fail.Exception, match=r"epsilon at delta 1e-5 is 1\.8282"):
        assert_account(TRAINING, epsilon="1.8", delta="1e-5")


def test_the_package_offers_the_steps() -> None:
    whole = dpw.poisson(dpw.gaussian("1.0"), "0.01") * 1000 + dpw.laplace(2) + dpw.response("1/2") * 10
    assert isinstance(whole, dpw.Composition)
    assert dpw.exp(0) == 1  # names that were there before are still those
    assert dpw.delta.__module__ == "dpwitness.api"


def test_sigma_is_calibrated_for_sampled_steps() -> None:
    low, high = dpw.calibrate("gaussian", rate="0.01", times=1000, eps=2, delta="1e-5")
    assert 0 < (high - low) / high < F(1, 10**8)
    assert (dpw.poisson(dpw.gaussian(high), "0.01") * 1000).delta(2).high <= F("1e-5")
    assert (dpw.poisson(dpw.gaussian(low), "0.01") * 1000).delta(2).low > F("1e-5")
    with pytest.raises(BadInput, match="rate= is for"):
        dpw.calibrate("laplace", rate="0.01", eps=1, delta="1e-5")


def event(kind: str, **fields: Any) -> Any:
    return type(kind, (SimpleNamespace,), {})(**fields)


def test_events_become_compositions() -> None:
    inner = event("GaussianDpEvent", noise_multiplier=0.5)
    sampled = event("PoissonSampledDpEvent", sampling_probability=0.25, event=inner)
    often = event("SelfComposedDpEvent", event=sampled, count=7)
    noise = event("LaplaceDpEvent", noise_multiplier=2.0)
    tree = event("ComposedDpEvent", events=[often, event("NoOpDpEvent"), noise])
    assert account(tree).steps == ((("poisson-gaussian", F(1, 4), F(4)), 7), (("laplace", F(1, 2)), 1))
    assert account(event("GaussianDpEvent", noise_multiplier=0.1)).steps[0][0][1] == 1 / F(0.1) ** 2
    for bad in (event("NonPrivateDpEvent"), event("ZCDpEvent", rho=1.0), "text"):
        with pytest.raises(NoProvedPair):
            account(bad)
    with pytest.raises(BadInput, match="releases nothing"):
        account(event("NoOpDpEvent"))


@pytest.mark.parametrize(
    ("value", "place"), [(1.0, "below"), (1.5, "inside"), (3.0, "loose"), (float("inf"), "infinite")]
)
def test_peers_are_judged_by_the_bracket(value: float, place: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(ask.__globals__["PEERS"], "made", lambda *_: value)
    assert ask("made", dpw.gaussian(1), 1e-5, dpw.Bracket(F(5, 4), F(2))).place == place


def test_a_peer_that_fails_is_a_note(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: Any) -> float:
        raise RuntimeError("broken")

    monkeypatch.setitem(ask.__globals__["PEERS"], "made", fail)
    found = ask("made", dpw.gaussian(1), 1e-5, dpw.Bracket(F(1), F(2)))
    assert (found.value, found.note) == (None, "failed: RuntimeError: broken")


def test_pictures_are_drawn() -> None:
    whole = dpw.gaussian(2) + dpw.laplace(4)
    for drawn in (
        draw_curve(whole, [0, 1, 2]),
        draw_steps(whole, [1, 10], "1e-5"),
        draw_loss(whole, 1),
        whole.plot(eps=[0, 1]),
    ):
        assert drawn.axes[0].lines
