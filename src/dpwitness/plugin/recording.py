"""What the session found: gathered from all processes, summed up, written down."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from dpwitness.plugin.options import SETTINGS

SETTINGS_IN_WORDS = {
    "ideal": "numerics ideal: outputs that break a claim as doubles only warn (--dp-numerics)",
    "doubles": "numerics doubles: claims are about doubles (--dp-numerics)",
    "both": "numerics both: claims are about real numbers and about doubles (--dp-numerics)",
}

if TYPE_CHECKING:
    from dpwitness.reports.model import Report


class Recorder:
    """Gathers the records of all tests in the process that reports to the user."""

    def __init__(self, config: pytest.Config) -> None:
        self.config = config
        self.records: list[dict[str, Any]] = []
        self.notes: list[str] = []

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Take the records out of a report, whichever process ran the test."""
        if report.when == "call":
            self.records += getattr(report, "dp_records", [])

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Write the files that were asked for; a session whose files cannot be written has not passed."""
        if hasattr(self.config, "workerinput"):  # a process of pytest-xdist: its reports travel to the controller
            return
        settings = self.config.stash[SETTINGS]
        wanted = (settings.json, settings.out, settings.baseline if settings.update_baseline else None)
        if not any(wanted):
            return
        from dpwitness.core.errors import DPWitnessError
        from dpwitness.core.text import line

        try:
            self._write()
        except (OSError, DPWitnessError) as error:
            self.notes.append(f"could not be written: {line(error, 400)}")
            if session.exitstatus == pytest.ExitCode.OK:
                session.exitstatus = pytest.ExitCode.INTERNAL_ERROR

    def _write(self) -> None:
        import json

        from dpwitness.core.files import write_whole

        settings = self.config.stash[SETTINGS]
        document = self.document()
        if settings.json is not None:
            settings.json.parent.mkdir(parents=True, exist_ok=True)
            text = json.dumps(document, indent=1, ensure_ascii=False) + "\n"
            write_whole(settings.json, text, "dp-json")
            self.notes.append(f"written: {settings.json}")
        if settings.baseline is not None and settings.update_baseline:
            from dpwitness.plugin.baseline import update

            self.notes.append(f"baseline: {update(settings.baseline, self.ordered())} checks in {settings.baseline}")
        if settings.out is not None:
            from dpwitness.reports.writer import write

            self.notes.append(f"report: {write(self.report(document), settings.out) / 'index.html'}")

    def ordered(self) -> list[dict[str, Any]]:
        """The records by test and call: the order in which processes finish leaves no trace."""
        return sorted(self.records, key=lambda record: (record["test"], record["check"]))

    def document(self) -> dict[str, Any]:
        """All records as ``dpwitness.results/1``."""
        from dpwitness import __version__
        from dpwitness.reports.jsonout import SCHEMA

        settings = self.config.stash[SETTINGS]
        run = {"version": __version__, "command": "pytest", "alpha": settings.alpha, "seed": settings.seed,
               "numerics": settings.numerics, "claims": len(self.records)}  # fmt: skip
        inside = ("certificate", "bracket", "claim", "alpha")
        rows = [{k: v for k, v in record.items() if k not in inside} for record in self.ordered()]
        return {"schema": SCHEMA, "run": run, "verdicts": rows}

    def report(self, document: dict[str, Any]) -> Report:
        """The records as a report, with the certificates that travelled along."""
        from dataclasses import replace

        from dpwitness.core.evidence import Counterexample
        from dpwitness.reports.jsonin import from_json
        from dpwitness.reports.model import Report

        read, _ = from_json(document)
        verdicts = []
        for row, record in zip(read.rows, self.ordered(), strict=True):
            verdict, held = row.verdict, record.get("certificate")
            if held is not None and verdict.upper is not None:
                verdict = replace(verdict, upper=replace(verdict.upper, certificate=held))
            elif held is not None and isinstance(verdict.lower, Counterexample):
                verdict = replace(verdict, lower=replace(verdict.lower, certificate=held))
            verdicts.append(verdict)
        return Report.of(verdicts, read.run, [record["warnings"] for record in self.ordered()])

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """A line for every check, worst first."""
        if not self.records:
            return
        settings = self.config.stash[SETTINGS]
        out = terminalreporter
        out.section("differential privacy")
        out.write_line(SETTINGS_IN_WORDS[settings.numerics])
        worst = ("CONTRADICTION", "REFUTED", "UNDECIDED", "NOT_REFUTED", "PROVED")
        for record in sorted(self.ordered(), key=lambda r: (worst.index(r["verdict"]), "creeping" not in r)):
            out.write(f"{'CREEPING' if 'creeping' in record else record['verdict']:<13} ", **_colour(record))
            which = "" if record["check"] == 1 else f" (check {record['check']})"
            out.write_line(f"{record['bracket'] or '-':<22} {record['claim']}  {record['test']}{which}")
            if record["warnings"]:
                bits = float(record["lower"]["doubles"]["epsilon"])
                out.write_line(f"{'':<13} warning: as doubles refuted (ε ≥ {int(bits * 1000) / 1000:g})", yellow=True)
        spent = sum(record["alpha"] for record in self.records)
        out.write_line(
            f"{len(self.records)} checks, false alarms of the session ≤ {settings.alpha:g} (set aside for these: "
            f"{spent:.3g}), seed {settings.seed}"
        )
        warned = [record["target"] for record in self.ordered() if record["warnings"]]
        if warned:
            from dpwitness.reports.numerics import summarise

            how = "--dp-numerics doubles makes these fail"
            out.write_line(f"warning: {summarise(warned, len(self.records))} ({how})", yellow=True)
        for note in self.notes:
            out.write_line(note)


def _colour(record: dict[str, Any]) -> dict[str, bool]:
    if "creeping" in record or record["verdict"] in ("CONTRADICTION", "REFUTED", "UNDECIDED"):
        return {"red": True}
    return {"green" if record["verdict"] == "PROVED" else "yellow": True}
