"""Certificates about reports of one record, made by hand."""

from __future__ import annotations

from typing import Any

C = "(exp(eps/2)+1)/(exp(eps/2)-1)"
LEFT = {"x": f"({C}+1)/2", "1": f"-({C}-1)/2"}
RIGHT = {"x": f"({C}+1)/2", "1": f"({C}-1)/2"}
SLOT = {"output": [["slot"], None], "values": [{"v0": "1"}]}
MOVED = {"output": [["slot"], None], "values": [{"v0": "1", "1": f"{C}-1"}]}
PIECEWISE: dict[str, Any] = {
    "type": "local-report",
    "records": ["-1", "1"],
    "tree": {
        "coin": {"1": "exp(eps/2)/(exp(eps/2)+1)"},
        "then": [
            {"uniform": [LEFT, RIGHT], "then": SLOT},
            {
                "uniform": [{"1": f"-({C})"}, {"1": "1"}],
                "then": {
                    "test": {**LEFT, "v0": "-1"},
                    "strict": True,
                    "then": [SLOT, MOVED],
                },
            },
        ],
    },
    "unit": "eps",
    "cuts": [],
    "epsilon": "1",
}
WAVE: dict[str, Any] = {  # of the width 1/4, at ε = 1, with a coin that is thrown by a uniform draw
    "type": "local-report",
    "records": ["0", "1"],
    "tree": {
        "uniform": [{}, {"1": "1"}],
        "then": {
            "test": {"1": "(1/2*exp(1))/(1/2*exp(1)+1)", "v0": "-1"},
            "strict": True,
            "then": [
                {"uniform": [{"x": "1", "1": "-1/4"}, {"x": "1", "1": "1/4"}],
                 "then": {"output": [["slot"], None], "values": [{"v1": "1"}]}},
                {"uniform": [{"1": "-1/4"}, {"1": "3/4"}],
                 "then": {"test": {"v1": "1", "x": "-1", "1": "1/4"}, "strict": False,
                          "then": [{"output": [["slot"], None], "values": [{"v1": "1", "1": "1/2"}]},
                                   {"output": [["slot"], None], "values": [{"v1": "1"}]}]}},
            ],
        },
    },
    "unit": "1",
    "cuts": [],
    "epsilon": "1",
}  # fmt: skip
NAMES: dict[str, Any] = {  # one of three names, of which the chances move with the record, or a number
    "type": "local-report",
    "records": ["-1", "1"],
    "tree": {
        "choose": [{"1": "2", "x": "1/2"}, {"1": "2", "x": "-1/2"}, {"1": "3"}],
        "then": [
            {"output": [["const", "int", 1], None], "values": []},
            {"output": [["const", "int", 2], None], "values": []},
            {"uniform": [{"1": "-2"}, {"1": "2"}], "then": {
                "test": {"x": "1"}, "strict": True,
                "then": [SLOT, {"output": [["slot"], None], "values": [{"v0": "-1"}]}]}},
        ],
    },
    "unit": "1",
    "cuts": ["0"],
    "epsilon": "3/5",
}  # fmt: skip
BROKEN: dict[str, Any] = {
    "type": "local-report-violation",
    "inputs": [["1"], ["0"]],
    "tree": WAVE["tree"],
    "label": '[["slot"], null]',
    "between": ["4/5", "6/5"],
    "epsilon": "9/10",
}
NAMED: dict[str, Any] = {
    **BROKEN,
    "inputs": [["1"], ["-1"]],
    "tree": NAMES["tree"],
    "label": '[["const", "int", 1], null]',
    "between": None,
    "epsilon": "1/2",
}
MADE = [PIECEWISE, WAVE, NAMES, BROKEN, NAMED]
