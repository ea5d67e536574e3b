"""What a decided claim looks like, and how checks become a verdict.

A checker evaluates the formulas of its claim into `Check` objects; `judge` turns them into a `Finding`:

=========== ===========================================================================================
verdict     when
=========== ===========================================================================================
HOLDS       the statement is proved on the whole stated domain
LOOSE       it is proved, and a strictly sharper form is proved as well
CONDITIONAL it fails somewhere on the stated domain, and is proved under the named condition
FALSE       it fails, and no condition on offer saves it; the repaired statement is proved
=========== ===========================================================================================
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

Verdict = Literal["HOLDS", "CONDITIONAL", "LOOSE", "FALSE"]
Evidence = Literal["exact", "symbolic", "interval", "certificate"]


class Formula(Mapping[str, Any]):
    """The data of a claim: its formulas as text, numbers or functions, by name. Immutable.

    >>> printed = Formula(factor=2, bound="exp(x)")
    >>> printed.but(factor=3)["factor"], printed["factor"]
    (3, 2)
    """

    def __init__(self, **entries: Any) -> None:
        self._entries = dict(entries)

    def __getitem__(self, name: str) -> Any:
        return self._entries[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._entries)

    def __len__(self) -> int:
        return len(self._entries)

    def but(self, **changes: Any) -> Formula:
        """The same formula with some entries replaced; an entry that does not exist is an error."""
        unknown = set(changes) - set(self._entries)
        if unknown:
            raise KeyError(f"no entry {sorted(unknown)} in this formula; it has {sorted(self._entries)}")
        return Formula(**{**self._entries, **changes})

    def __repr__(self) -> str:
        inner = ", ".join(f"{k}={v!r}" for k, v in self._entries.items())
        return f"Formula({inner})"


@dataclass(frozen=True)
class Check:
    """One evaluated part of a claim: whether it was proved, or else the witness against it."""

    ok: bool
    note: str
    witness: Mapping[str, str] = field(default_factory=dict)
    certificates: tuple[Mapping[str, Any], ...] = ()

    def __bool__(self) -> bool:
        return self.ok

    def __and__(self, other: Check) -> Check:
        """Both; the witness is that of the first failure."""
        if self.ok and other.ok:
            both = {**self.witness, **other.witness}
            return Check(True, _join(self.note, other.note), both, self.certificates + other.certificates)
        return self if not self.ok else other


def _join(*notes: str) -> str:
    return "; ".join(note for note in notes if note)


def every(cases: Iterator[Check] | list[Check], note: str = "") -> Check:
    """All of them; stops at the first failure. On success only the note and the certificates are kept."""
    certificates: list[Mapping[str, Any]] = []
    count = 0
    for case in cases:
        if not case.ok:
            return case
        count += 1
        certificates += case.certificates
    if not count:
        raise ValueError("a statement about no case at all proves nothing")
    return Check(True, note or ("one case" if count == 1 else f"{count} cases"), {}, tuple(certificates))


@dataclass(frozen=True)
class Finding:
    """A decided claim."""

    verdict: Verdict
    argument: tuple[str, ...]
    evidence: Evidence
    condition: str = ""
    witness: Mapping[str, str] = field(default_factory=dict)
    tight: str = ""
    repaired: str = ""
    disagreement: str = ""
    parts: Mapping[str, bool] = field(default_factory=dict)
    certificate: Mapping[str, Any] | None = None
    id: str = ""
    title: str = ""
    kind: str = ""
    source: str = ""
    statement: str = ""
    seconds: float = 0.0

    def to_json(self) -> dict[str, Any]:
        """What ``claims --json`` writes: everything that the text shows, and the certificate."""
        return {
            "id": self.id,
            "title": self.title,
            "kind": self.kind,
            "source": self.source,
            "statement": self.statement,
            "verdict": self.verdict,
            "condition": self.condition or None,
            "witness": dict(self.witness) or None,
            "tight": self.tight or None,
            "repaired": self.repaired or None,
            "disagreement": self.disagreement or None,
            "parts": dict(self.parts),
            "argument": list(self.argument),
            "evidence": self.evidence,
            "seconds": round(self.seconds, 3),
            "certificate": self.certificate,
        }


def judge(
    whole: Check,
    *,
    argument: tuple[str, ...],
    evidence: Evidence,
    under: Check | None = None,
    condition: str = "",
    sharper: Check | None = None,
    tight: str = "",
    repair: Check | None = None,
    repaired: str = "",
    disagreement: str = "",
    parts: Mapping[str, Check] | None = None,
) -> Finding:
    """The verdict that follows from the checks.

    Parameters
    ----------
    whole
        The statement as printed, on its whole domain.
    under, condition
        The same statement under a condition that the source leaves out, and that condition in words.
    sharper, tight
        A strictly sharper form, proved; and what it says.
    repair, repaired
        The corrected statement, proved; and what it says.
    parts
        Named parts of the statement, for readers: which of them hold.
    """
    verdict: Verdict
    used: list[Check] = [whole]
    if whole.ok:
        verdict = "LOOSE" if sharper is not None and sharper.ok else "HOLDS"
        if sharper is not None and sharper.ok:
            used.append(sharper)
    elif under is not None and under.ok:
        verdict = "CONDITIONAL"
        used.append(under)
    else:
        verdict = "FALSE"
    if repair is not None and repair.ok and verdict != "HOLDS":
        used.append(repair)
    witness = dict(whole.witness)
    if verdict == "LOOSE" and sharper is not None:
        witness.update(sharper.witness)
    if verdict == "FALSE" and not witness:
        witness = {"fails": whole.note}
    trees = [c for check in used for c in check.certificates]
    return Finding(
        verdict=verdict,
        argument=(*argument, *dict.fromkeys(_told(check) for check in used if check.note)),
        evidence=evidence,
        condition=condition if verdict == "CONDITIONAL" else "",
        witness=witness,
        tight=tight if sharper is None or sharper.ok else "",
        repaired=repaired if verdict in ("FALSE", "CONDITIONAL") and repair is not None and repair.ok else "",
        disagreement=disagreement,
        parts={name: check.ok for name, check in (parts or {}).items()},
        certificate=bundle(trees),
    )


def _told(check: Check) -> str:
    return f"checked: {check.note}" if check.ok else f"refuted: {check.note}"


MAX_CERTIFICATE = 60_000


def bundle(trees: list[Mapping[str, Any]]) -> Mapping[str, Any] | None:
    """The kernel certificates behind a finding, as one JSON object; very long ones are left to be recomputed."""
    kept: list[Mapping[str, Any]] = []
    size = 0
    for tree in trees:
        size += len(str(tree))
        if size <= MAX_CERTIFICATE:
            kept.append(tree)
    return {"parts": kept} if kept else None


Checker = Callable[..., Finding]
