"""`assert_private_step`: one training step, audited within the session's share of α."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

import pytest

from dpwitness.core.errors import DPWitnessError
from dpwitness.plugin.sharing import Share
from dpwitness.reports.model import clean

if TYPE_CHECKING:
    from dpwitness.auditors.training.step import StepAudit


class AssertPrivateStep:
    """The fixture: call it with a step, a batch and examples; it fails the test with what it found, in words.

    The k-th call spends its part of the test's share of α, as `assert_private` does.
    """

    def __init__(self, item: Any, share: Share) -> None:
        self.item, self.share, self.calls = item, share, 0

    def __call__(
        self,
        step: Callable[[Any], Any],
        batch: Any,
        examples: Iterable[Any],
        *,
        noise_multiplier: float,
        clip: float = 1.0,
        reseed: Callable[[int], Any] | None = None,
        add: Callable[[Any, Any], Any] | None = None,
        search: bool = True,
        runs: int = 800,
    ) -> StepAudit:
        """Fail the test if anything speaks against the step; see `dpwitness.audit_step` for the arguments."""
        __tracebackhide__ = True
        from dpwitness.auditors.training.step import audit_step

        self.calls += 1
        if self.share.checks is not None and self.calls > self.share.checks:
            pytest.fail(f"assert_private_step: check {self.calls}, but @pytest.mark.dp(checks={self.share.checks})")
        alpha = self.share.part(self.calls)
        try:
            seed = self.share.seed_of(self.calls) % 2**32
            found = audit_step(step, batch, examples, noise_multiplier=noise_multiplier, clip=clip, reseed=reseed,
                               add=add, search=search, alpha=alpha, runs=runs, seed=seed)  # fmt: skip
        except DPWitnessError as error:
            raise pytest.fail.Exception(f"assert_private_step: {clean(error)}", pytrace=True) from None
        self.item.user_properties.append((f"dp_step_{self.calls}", found.verdict))
        if found.refuted:
            pytest.fail(f"assert_private_step: {clean(str(found))}", pytrace=True)
        return found
