"""An interactive server: an adversary chooses each question after seeing the earlier answers; the server may refuse.

Whether to refuse is decided by the transcript alone. What matters is the sensitivity of the answered questions taken
together, so the server keeps, for every person, the number of answered questions that concern that person.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dpwitness.core import Domain, Exact, PureDP, Records, mechanism, whole
from dpwitness.core.noise import Noise

PEOPLE = 4
ROUNDS = 3
CITES = "Dwork, McSherry, Nissim and Smith 2006, section 3.1"


def next_question(asked: Sequence[int], answer: Any) -> Sequence[int]:
    """The adversary: whom to count next, given the last question and its answer (None: refused).

    A large answer makes it look closer at the same people, a small one at the others.
    """
    if answer is None:
        return range(PEOPLE)
    if answer > len(asked) / 2:
        return asked[: max(1, len(asked) // 2)]
    others = [i for i in range(PEOPLE) if i not in asked]
    return others or asked[len(asked) // 2 :]


@mechanism(
    data=Records((0, 1), PEOPLE),
    claim=lambda eps: PureDP(eps),
    typical={"eps": 1, "budget": 2},
    domains={"budget": whole(1)},
    tags=("sources", "interactive", "laplace"),
    cites=CITES,
)
def query_server(noise: Noise, data: Sequence[Any], *, eps: Any, budget: Any) -> Any:
    r"""Adaptive counts with noise :math:`\mathrm{Lap}(b/\varepsilon)`; nobody is counted in more than b answers."""
    spent = [0] * PEOPLE
    asked: Sequence[int] = range(PEOPLE)
    transcript = []
    for _ in range(ROUNDS):
        answer = None
        if all(spent[i] < budget for i in asked):
            spent = [s + (i in asked) for i, s in enumerate(spent)]
            answer = sum(data[i] for i in asked) + noise.laplace(budget / eps)
        transcript.append(answer)
        asked = next_question(asked, answer)
    return transcript


@query_server.twin("refuses-by-the-data", tags=("sources", "interactive", "laplace"), notes="a refusal is an answer")
def _(noise: Noise, data: Sequence[Any], *, eps: Any, budget: Any) -> Any:
    """Small counts are suppressed: the refusal tells that the true count is below 2."""
    asked: Sequence[int] = range(PEOPLE)
    transcript = []
    for _ in range(ROUNDS):
        count = sum(data[i] for i in asked)
        answer = None if count < 2 else count + noise.laplace(budget / eps)
        transcript.append(answer)
        asked = next_question(asked, answer)
    return transcript


@query_server.twin(
    "never-refuses", domains={"budget": Domain(whole=True, least=Exact(1), below=Exact(ROUNDS))},
    tags=("interactive", "laplace"), notes="three answers may concern one person",
)  # fmt: skip
def _(noise: Noise, data: Sequence[Any], *, eps: Any, budget: Any) -> Any:
    """All three questions are answered with the noise for two: the loss is 3ε/2."""
    asked: Sequence[int] = range(PEOPLE)
    transcript = []
    for _ in range(ROUNDS):
        answer = sum(data[i] for i in asked) + noise.laplace(budget / eps)
        transcript.append(answer)
        asked = next_question(asked, answer)
    return transcript
