"""What `stability` returns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from dpwitness.auditors.stability.calls import shown


@dataclass(frozen=True)
class Stability:
    """The result of a search for a violation of stability.

    Parameters
    ----------
    refuted
        Whether two inputs violate the claim. This is exact: the outputs are shown, and were computed again.
    kind
        ``"moves"``, ``"raises"``, ``"domain"``, or ``"rounding"`` (noted, and no violation unless
        ``numerics="doubles"``); empty where nothing was found.
    left, right
        The inputs as the function gets them; as rows of a frame or an array, a list of records.
    apart
        Distance of the inputs: steps, or the norm of the move.
    distance, bound
        Of the outputs, and what was allowed, as text.
    before, after
        Outputs as text, or what was raised.
    cause
        What to look at, where the outputs themselves show it.
    pairs, calls
        Pairs compared, and calls of the function, shrinking included.
    stopped
        What ended a search that found nothing.
    """

    refuted: bool
    kind: str
    claim: str
    name: str
    left: tuple[Any, ...] = ()
    right: tuple[Any, ...] = ()
    apart: Any = None
    how: str = ""
    metric: str = ""
    distance: str = ""
    bound: str = ""
    before: str = ""
    after: str = ""
    cause: str = ""
    pairs: int = 0
    calls: int = 0
    seconds: float = 0.0
    stopped: str = ""
    notes: tuple[str, ...] = ()

    def __str__(self) -> str:
        if not self.kind:
            text = f"no violation of {self.claim} found in {self.pairs} pairs ({self.stopped}); this is not a proof"
            return text + "".join(f"\nnote: {note}" for note in self.notes)
        text = f"{'refuted' if self.refuted else 'noted'}: {self.claim}"
        text += f"\n  {show_data(self.left)}\n  {show_data(self.right)}"
        text += f"\n  outputs: {self.before} and {self.after}"
        if self.kind == "domain":
            text += "\n  an output lies outside the declared domain"
        elif self.kind == "raises":
            text += f"\n  {self.cause}"
        else:
            steps = "the inputs count as the same" if self.apart == 0 else f"the inputs are {self.apart} apart"
            text += f"\n  {self.metric} distance {self.distance}, at most {self.bound} is claimed; {steps}"
            text += f"\n  look at: {self.cause}" if self.cause else ""
        return text + "".join(f"\nnote: {note}" for note in self.notes)


def show_data(data: tuple[Any, ...]) -> str:
    """A dataset in one line; runs of equal records are counted.

    >>> show_data((1, 1, 1, 1, 2)), show_data(())
    ('[1 (4 times), 2]', '[] (no records)')
    """
    if not data:
        return "[] (no records)"
    parts: list[tuple[str, int]] = []
    for record in data:
        text = shown(record, 60)
        if parts and parts[-1][0] == text:
            parts[-1] = (text, parts[-1][1] + 1)
        else:
            parts.append((text, 1))
    said = [text if count == 1 else ", ".join([text] * count) if count < 4 else f"{text} ({count} times)"
            for text, count in parts]  # fmt: skip
    if len(said) > 24:
        said = [*said[:20], f"… {len(said) - 20} more"]
    return f"[{', '.join(said)}]"
