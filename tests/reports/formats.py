"""The parts of published formats that the reports use, written as JSON Schemas and as a table of XML children."""

from __future__ import annotations

from typing import Any

TEXT: dict[str, Any] = {
    "type": "object",
    "required": ["text"],
    "properties": {"text": {"type": "string", "minLength": 1}},
}

SARIF: dict[str, Any] = {
    "type": "object",
    "required": ["version", "runs"],
    "additionalProperties": False,
    "properties": {
        "$schema": {"type": "string", "format": "uri"},
        "version": {"const": "2.1.0"},
        "runs": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["tool"],
                "additionalProperties": False,
                "properties": {
                    "tool": {"$ref": "#/$defs/tool"},
                    "columnKind": {"enum": ["utf16CodeUnits", "unicodeCodePoints"]},
                    "results": {"type": "array", "items": {"$ref": "#/$defs/result"}},
                },
            },
        },
    },
    "$defs": {
        "tool": {
            "type": "object",
            "required": ["driver"],
            "additionalProperties": False,
            "properties": {
                "driver": {
                    "type": "object",
                    "required": ["name"],
                    "additionalProperties": False,
                    "properties": {
                        "name": {"type": "string"},
                        "version": {"type": "string"},
                        "rules": {
                            "type": "array",
                            "uniqueItems": True,
                            "items": {
                                "type": "object",
                                # code scanning asks for more than the standard does
                                "required": ["id", "shortDescription", "fullDescription", "help"],
                                "additionalProperties": False,
                                "properties": {
                                    "id": {"type": "string"},
                                    "name": {"type": "string"},
                                    "shortDescription": TEXT,
                                    "fullDescription": TEXT,
                                    "help": TEXT,
                                    "defaultConfiguration": {
                                        "type": "object",
                                        "properties": {"level": {"$ref": "#/$defs/level"}},
                                    },
                                },
                            },
                        },
                    },
                }
            },
        },
        "level": {"enum": ["none", "note", "warning", "error"]},
        "result": {
            "type": "object",
            "required": ["message"],
            "additionalProperties": False,
            "properties": {
                "ruleId": {"type": "string"},
                "ruleIndex": {"type": "integer", "minimum": -1},
                "level": {"$ref": "#/$defs/level"},
                "message": TEXT,
                "partialFingerprints": {"type": "object", "additionalProperties": {"type": "string"}},
                "locations": {
                    "type": "array",
                    "items": {
                        "type": "object",
                        "additionalProperties": False,
                        "properties": {
                            "physicalLocation": {
                                "type": "object",
                                "required": ["artifactLocation"],
                                "properties": {
                                    "artifactLocation": {
                                        "type": "object",
                                        "properties": {"uri": {"type": "string", "pattern": r"^[^\s\\]+$"}},
                                    },
                                    "region": {
                                        "type": "object",
                                        "properties": {"startLine": {"type": "integer", "minimum": 1}},
                                    },
                                },
                            }
                        },
                    },
                },
            },
        },
    },
}

GITLAB: dict[str, Any] = {
    "type": "array",
    "items": {
        "type": "object",
        "required": ["description", "check_name", "fingerprint", "severity", "location"],
        "properties": {
            "description": {"type": "string", "minLength": 1},
            "check_name": {"type": "string", "minLength": 1},
            "fingerprint": {"type": "string", "minLength": 1},
            "severity": {"enum": ["info", "minor", "major", "critical", "blocker"]},
            "location": {
                "type": "object",
                "required": ["path", "lines"],
                "properties": {
                    "path": {"type": "string", "pattern": "^(?!\\./).+"},
                    "lines": {
                        "type": "object",
                        "required": ["begin"],
                        "properties": {"begin": {"type": "integer", "minimum": 1}},
                    },
                },
            },
        },
    },
}

# element: (attributes that must be there, attributes that may be, children that may be, in this order)
JUNIT: dict[str, tuple[set[str], set[str], list[str]]] = {
    "testsuites": (set(), {"name", "tests", "failures", "errors", "skipped", "time"}, ["testsuite"]),
    "testsuite": (
        {"name", "tests"},
        {"failures", "errors", "skipped", "time", "timestamp", "hostname"},
        ["properties", "testcase", "system-out", "system-err"],
    ),
    "properties": (set(), set(), ["property"]),
    "property": ({"name", "value"}, set(), []),
    "testcase": (
        {"name", "classname"},
        {"time"},
        ["properties", "skipped", "error", "failure", "system-out", "system-err"],
    ),
    "skipped": (set(), {"message"}, []),
    "error": (set(), {"message", "type"}, []),
    "failure": (set(), {"message", "type"}, []),
    "system-out": (set(), set(), []),
}
