"""The report as GitLab code-quality JSON, which merge requests show."""

from __future__ import annotations

from typing import Any

from dpwitness.reports.findings import findings
from dpwitness.reports.model import Report, line

SEVERITY = {"error": "critical", "warning": "major", "note": "info"}


def to_gitlab(report: Report) -> list[dict[str, Any]]:
    """One entry for every finding; a finding without a place in the source is shown at the top of the project."""
    return [
        {
            "description": line(finding.text, 1000),
            "check_name": finding.rule,
            "fingerprint": finding.key,
            "severity": SEVERITY[finding.level],
            "location": {
                "path": "." if finding.place is None else finding.place.path,
                "lines": {"begin": 1 if finding.place is None else finding.place.line},
            },
        }
        for finding in findings(report)
    ]
