"""The report as SARIF 2.1.0, which code-scanning services show beside the line of the program."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

from dpwitness.reports.findings import RULES, Finding, findings
from dpwitness.reports.model import Report, line

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
LEVELS = {"privacy-open": "note", "privacy-doubles": "warning"}


def to_sarif(report: Report) -> dict[str, Any]:
    """A SARIF log with one run; only what is not as it should be becomes a result."""
    order = list(RULES)
    return {
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [
            {
                "tool": {
                    "driver": {
                        "name": "dpwitness",
                        "version": line(report.run.get("version", "0"), 40),
                        "rules": [
                            {
                                "id": rule,
                                "name": name,
                                "shortDescription": {"text": text},
                                "fullDescription": {"text": f"{text} {remedy}"},
                                "help": {"text": remedy},
                                "defaultConfiguration": {"level": LEVELS.get(rule, "error")},
                            }
                            for rule, (name, text, remedy) in RULES.items()
                        ],
                    }
                },
                "results": [_result(finding, order.index(finding.rule)) for finding in findings(report)],
            }
        ],
    }


def _result(finding: Finding, index: int) -> dict[str, Any]:
    result: dict[str, Any] = {
        "ruleId": finding.rule,
        "ruleIndex": index,
        "level": finding.level,
        "message": {"text": finding.text},
        "partialFingerprints": {"claim/v1": finding.key},
    }
    if finding.place is not None:
        result["locations"] = [
            {
                "physicalLocation": {
                    "artifactLocation": {"uri": _uri(finding.place.path)},
                    "region": {"startLine": finding.place.line},
                }
            }
        ]
    return result


def _uri(path: str) -> str:
    return ("file://" if path.startswith("/") else "") + quote(path)
