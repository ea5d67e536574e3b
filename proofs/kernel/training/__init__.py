"""Rules about audits of training."""

from dpwitness.proofs.kernel.training.one_run import CHECKERS

__all__ = ["CHECKERS"]
