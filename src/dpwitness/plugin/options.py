"""The plugin's options, each with a twin in the ini file."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import pytest

Numerics = Literal["ideal", "doubles", "both"]
NUMERICS: tuple[Numerics, ...] = ("ideal", "doubles", "both")
MOST_PAIRS = 10**12
_WHOLE = "a whole number, 1 or more (at most 10^12)"

_OPTIONS: tuple[tuple[str, str, str, str], ...] = (
    ("alpha", "A", "0.001", "false alarms of the whole session"),
    ("seed", "N", "0", "root of all randomness"),
    ("max-pairs", "N", "", "samples a side of an audit (default: 100000, or 20000 for functions of the data alone)"),
    ("numerics", "WHICH", "ideal", "which claim decides: ideal (doubles only warn), doubles, or both"),
    ("slack", "S", "0.1", "how much of the claimed epsilon a measured loss may grow above the baseline"),
    ("json", "FILE", "", "write what was found as JSON"),
    ("out", "DIR", "", "write the whole report: index.html, junit.xml, results.sarif and the rest"),
    ("baseline", "FILE", "", "compare with the losses in this file, and fail a test whose loss creeps up"),
)


@dataclass(frozen=True)
class Settings:
    """The options of a session; paths are absolute."""

    alpha: float
    seed: int
    max_pairs: int | None
    numerics: Numerics
    slack: float
    json: Path | None
    out: Path | None
    baseline: Path | None
    update_baseline: bool


SETTINGS = pytest.StashKey[Settings]()


def add_options(parser: pytest.Parser) -> None:
    """Declare ``--dp-alpha`` and its like, and ``dp_alpha`` and its like for the ini file."""
    group = parser.getgroup("dpwitness", "differential privacy")
    for name, metavar, default, text in _OPTIONS:
        shown = f"{text} (default {default})" if default else text
        group.addoption(f"--dp-{name}", dest=_key(name), metavar=metavar, default=None, help=shown)
        parser.addini(_key(name), shown, default=default)
    group.addoption(
        "--dp-update-baseline",
        dest="dp_update_baseline",
        action="store_true",
        default=None,
        help="accept the losses of this run: write them to the baseline file",
    )
    parser.addini("dp_update_baseline", "the same as --dp-update-baseline", type="bool", default=False)


def _key(name: str) -> str:
    return "dp_" + name.replace("-", "_")


def read_settings(config: pytest.Config) -> Settings:
    """The settings of this session; what is wrong is named in one sentence."""
    flag = config.getoption("dp_update_baseline")
    settings = Settings(
        alpha=_number(config, "alpha", lambda a: 0 < a < 1, "a number strictly between 0 and 1"),
        seed=int(_number(config, "seed", lambda s: 0 <= s < 2**128 and s == int(s), "a whole number, 0 or more")),
        max_pairs=_pairs(config),
        numerics=_numerics(config),
        slack=_number(config, "slack", lambda s: s >= 0, "a number, 0 or more"),
        json=_path(config, "json"),
        out=_path(config, "out"),
        baseline=_path(config, "baseline"),
        update_baseline=bool(config.getini("dp_update_baseline") if flag is None else flag),
    )
    _refuse_foreign(settings.out)
    if settings.update_baseline and settings.baseline is None:
        raise pytest.UsageError("--dp-update-baseline needs --dp-baseline FILE (or dp_baseline in the ini file)")
    return settings


def _text(config: pytest.Config, name: str) -> str:
    given = config.getoption(_key(name))
    return str(config.getini(_key(name)) if given is None else given)


def _number(config: pytest.Config, name: str, good: object, wanted: str) -> float:
    text = _text(config, name)
    try:
        value = float(text) if len(text) <= 60 else float("nan")
        if callable(good) and good(value):
            return int(text) if text.strip().isdigit() else value
    except (ValueError, OverflowError):
        pass
    raise pytest.UsageError(f"--dp-{name} (or {_key(name)} in the ini file) is {text[:60]!r}; it must be {wanted}")


def _pairs(config: pytest.Config) -> int | None:
    if not _text(config, "max-pairs"):
        return None
    return int(_number(config, "max-pairs", lambda n: 1 <= n <= MOST_PAIRS and n == int(n), _WHOLE))


def _refuse_foreign(out: Path | None) -> None:
    """A folder that holds other things is refused before the tests run, and not when all is done."""
    if out is None:
        return
    from dpwitness.core.errors import DPWitnessError
    from dpwitness.reports.folder import refuse_foreign

    try:
        refuse_foreign(out)
    except (OSError, DPWitnessError) as error:
        raise pytest.UsageError(f"--dp-out: {error}") from None


def _numerics(config: pytest.Config) -> Numerics:
    text = _text(config, "numerics")
    for known in NUMERICS:
        if text == known:
            return known
    raise pytest.UsageError(
        f"--dp-numerics (or dp_numerics in the ini file) is {text!r}; it must be ideal, doubles or both"
    )


def _path(config: pytest.Config, name: str) -> Path | None:
    """From the command line relative to where pytest was called, from the ini file relative to that file."""
    given = config.getoption(_key(name))
    text = str(config.getini(_key(name)) if given is None else given)
    if not text:
        return None
    base = config.rootpath if given is None else config.invocation_params.dir
    path = (base / text).resolve()
    setattr(config.option, _key(name), str(path))  # the processes of pytest-xdist get the options as they are now
    return path
