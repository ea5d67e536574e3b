r"""Whether a counterexample with few answers is one with more.

A claim about N answers is about exactly N. Let :math:`q, q'` be n < N answers that break it, and let both be padded
with the same N − n numbers. If the output on n answers is a function of the output on the padded ones (the same output,
its first n entries, or None in place of an index from n on), with the same draws, then the padded inputs break the
claim as well, since no function of an output loses more privacy than the output. As in co-execution this is seen from
runs.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any

from dpwitness.core.claims import Claim
from dpwitness.core.coexecution.comparing import same_law, same_runs
from dpwitness.core.coexecution.draws import KINDS, Script
from dpwitness.core.coexecution.inputs import named_numbers
from dpwitness.core.coexecution.running import Recorded, run_once
from dpwitness.core.errors import BadInput
from dpwitness.core.identity import shipped
from dpwitness.core.laws import Law
from dpwitness.core.mechanism import Mechanism
from dpwitness.core.numbers import Exact
from dpwitness.core.spaces import Answers

RUNS = 96
View = Callable[[Any, int], Any]  # what is looked at of an output on all answers, where few were n


def embeds(claim: Claim, left: Sequence[Any], right: Sequence[Any], seed: int = 0) -> bool:
    """Whether two inputs of fewer answers than the claim's are seen to break it when they are padded.

    >>> import dpwitness as dpw
    >>> def each(noise, answers, *, eps):
    ...     return [answers[0]] if len(answers) == 1 else [x + noise.laplace(1 / eps) for x in answers]
    >>> made = dpw.mechanism(data=Answers(size=3), claim=lambda eps: dpw.PureDP(eps), typical={"eps": 1})(each)
    >>> embeds(made.claims()[0], (0,), (1,)), embeds(made.claims()[0], (0, 0), (1, 1))
    (False, True)
    """
    if not isinstance(claim.space, Answers) or not isinstance(claim.mechanism, Mechanism) or len(left) != len(right):
        return False
    rng = random.Random(f"{seed} {claim.target} {claim.index}")
    return any(
        all(_agree(claim, data, more, view, rng) for data in (left, right))
        for more in _padding(claim.space, left)
        for view in VIEWS
    )


def _padding(space: Answers, left: Sequence[Any]) -> Iterator[tuple[Exact, ...]]:
    """Numbers to pad with: those of the space among 0, the last answer and numbers far away."""
    count = space.size - len(left)
    for value in dict.fromkeys((Exact(0), Exact(left[-1]), Exact(-64), Exact(64))):
        try:
            yield space.validate([value] * count) if count > 0 else ()
        except BadInput:
            continue


def _agree(claim: Claim, few: Sequence[Any], more: Sequence[Any], view: View, rng: random.Random) -> bool:
    """Whether runs on few answers give what `view` shows of runs on all of them, on the same draws."""
    assert isinstance(claim.mechanism, Mechanism)
    program = claim.mechanism.program
    hints: Sequence[Fraction] = named_numbers(program)
    params: Mapping[str, Any] = {name: shipped(value) for name, value in claim.params.items()}
    short = [shipped(Exact(x)) for x in few]
    long = [*short, *(shipped(x) for x in more)]
    for k in range(RUNS):
        script = Script((), rng, KINDS[k % len(KINDS)], hints)
        one = run_once(program, short, params, script)
        two = run_once(program, long, params, _Again(one, script))
        if one.error is not None or two.error is not None or len(two.laws) < len(one.laws):
            return False
        if any(same_law(a, b) for a, b in zip(one.laws, two.laws, strict=False)):
            return False
        if not same_runs(one.output, view(two.output, len(short)), 0.0):
            return False
    return True


class _Again:
    """The draws of an earlier run, and further ones of the same script."""

    def __init__(self, run: Recorded, script: Script) -> None:
        self.values, self.script, self.count = run.values, script, 0

    def __call__(self, law: Law) -> Any:
        k = self.count
        self.count += 1
        return self.values[k] if k < len(self.values) else self.script(law)


def _cut(output: Any, n: int) -> Any:
    """The output with its lists cut to n entries."""
    if isinstance(output, list | tuple):
        return type(output)(_cut(x, n) for x in output[:n])
    return output


def _none_later(output: Any, n: int) -> Any:
    """None in place of an index from n on."""
    return None if isinstance(output, int) and not isinstance(output, bool) and output >= n else output


def _as_it_is(output: Any, n: int) -> Any:
    return output


VIEWS: tuple[View, ...] = (_as_it_is, _cut, _none_later)
