"""The page docs/corpus.md from what `benchmarks.corpus` measured."""

from __future__ import annotations

from typing import Any

from dpwitness.corpus import CLASSES, bugs
from dpwitness.corpus.entry import ROUTES

NOTE = "<!-- written by `python -m benchmarks.corpus --page` from what it measured: run it again to change this -->"
LEAD = """\
Privacy bugs that were documented in public, in issue trackers, change logs and papers, each re-created in ten to
twenty-five lines of our own beside its repair, with its claim, its neighbour relation, its source and its severity.
They are targets: `dpwitness verify corpus/opendp-2922`, `dpwitness verify @corpus`; a run without targets leaves them
out, since it would take much longer. The programs stand in `corpus/`, one file for each class.

An entry is *found* where the default `dpwitness verify` refutes the broken program within 60 seconds without being told
any inputs (bugs of floating point: where it warns that the claim fails for doubles). Every repair was decided in the
same way, and every one that is refuted would be listed as a false alarm. All rows are of one run
with `--seconds 60`. The machine was shared and busy, so times are longer than on an idle one.
"""
MISSED = """\
## Not found

| entry | why |
|---|---|
"""
SEVERITY = """\
Severity: *critical*, data can be read off; *serious*, the guarantee is off by a factor or fails on natural inputs;
*theoretical*, it takes contrived inputs or a tiny δ; *negligible*.
"""


def page(rows: list[dict[str, Any]]) -> str:
    """The whole page."""
    known = bugs()
    by_name = {row["name"]: row for row in rows}
    findable = [row for row in rows if not row["hidden"]]
    got = [row for row in findable if row["verify"][0] and row["verify"][1] <= 60]
    alarms = [row["name"] for row in rows if row["alarm"] or row.get("stable_alarm")]
    stable = [row for row in rows if "S" in row["routes"]]
    quick = [row for row in stable if row["routes"]["S"][0] and row["routes"]["S"][1] <= 1]
    asked = [row for row in rows if row.get("peer") is not None]
    letters = ", ".join(f"{letter} {words}" for letter, words in ROUTES.items())
    parts = [
        f"# Documented bugs\n{NOTE}\n\n{LEAD}",
        "| | |\n|---|---|\n"
        f"| entries | {len(rows)}, of which {len(findable)} should be found by `verify` |\n"
        f"| found by `verify` within 60 s | {len(got)} |\n"
        f"| false alarms on repairs | {len(alarms)}{': ' + ', '.join(alarms) if alarms else ''} |\n"
        f"| deterministic parts refuted by `dpwitness stability` | {sum(r['routes']['S'][0] for r in stable)} of "
        f"{len(stable)}, {len(quick)} within a second |\n"
        "| refuted by jax_privacy's bound, told the inputs, from 20 000 samples of the first number of the output | "
        f"{sum(bool(r['peer']) for r in asked)} of {len(asked)} to which it applies |\n",
        f"Routes: {letters}. A letter stands where the route, run alone, shows the bug.\n\n{SEVERITY}",
    ]
    missed = [(row["name"], "the limit of time ended the search") for row in findable if row not in got]
    missed += [(row["name"], row["hidden"]) for row in rows if row["hidden"]]
    parts.append(MISSED + "\n".join(f"| `{name}` | {why} |" for name, why in missed) + "\n")
    for kind, title in CLASSES.items():
        mine = [bug for bug in known.values() if bug.kind == kind and bug.name in by_name]
        if not mine:
            continue
        lines = [
            f"## {title}\n",
            "| entry | what was wrong | severity | found by | `verify` |",
            "|---|---|---|---|---|",
        ]
        for bug in mine:
            row = by_name[bug.name]
            letters = " ".join(letter for letter, (ok, _) in sorted(row["routes"].items()) if ok)
            if bug.control is not None:
                letters = f"control: {row['controls'][0]} of 20 runs on equal laws claim ε > 0"
            said = "yes" if row["verify"][0] else "no"
            said = f"{said}, {row['verify'][1]:.1f} s" if not bug.hidden else f"not asked: {bug.hidden}"
            lines.append(f"| `{bug.name}` | {bug.about} ({bug.source}) | {bug.severity} | {letters} | {said} |")
        parts.append("\n".join(lines) + "\n")
    return "\n".join(parts)
