"""The lemma on the largest of noisy values needs the same factors in every iteration."""

from __future__ import annotations

import json
from typing import Any

import pytest

from dpwitness import Answers, PureDP, mechanism
from dpwitness.proofs.anyn import AnyNProver
from dpwitness.proofs.kernel.arith import Rejected
from dpwitness.proofs.kernel.check import check


@mechanism(data=Answers("all", 1, size=3), claim=lambda eps: PureDP(eps), typical={"eps": 1})
def handicapped(noise: Any, q: Any, *, eps: Any) -> Any:
    """The index of the largest of q + η + k, where k grows by one from answer to answer."""
    k = 1
    best = None
    at = None
    for i, x in enumerate(q):
        v = x + noise.laplace(2 / eps) + k
        if best is None or v > best:
            best = v
            at = i
        k = k + 1
    return at


def _certificate() -> str:
    found: Any = AnyNProver().run(handicapped.claims()[0])
    assert found.certificate["type"] == "argmax-shift"
    return json.dumps(found.certificate)


def _multiplied(text: str, factor: str) -> Any:
    """The certificate of k·(q + η), or of another product, in place of q + η + k."""
    value, ahead = '"$k": "1", "?0": "1", "~0": "1"', '"$k": "-1", "%best": "1", "?0": "-1", "~0": "-1"'
    assert value in text
    assert ahead in text
    text = text.replace(ahead, f'"%best": "1", "{factor}?0": "-1", "{factor}~0": "-1"')
    return json.loads(text.replace(value, f'"{factor}?0": "1", "{factor}~0": "1"'))


def test_a_factor_that_changes_is_rejected() -> None:
    """With k = 1, 2, 3 the last value moves three times as far as the first, and the loss is 2ε and more."""
    with pytest.raises(Rejected, match="contest"):
        check(_multiplied(_certificate(), "$k "))


def test_the_same_certificate_without_the_factor_is_accepted() -> None:
    assert check(_multiplied(_certificate(), "")).kind == "argmax-shift"
