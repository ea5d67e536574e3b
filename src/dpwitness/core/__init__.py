"""The vocabulary that programs, provers, auditors and reports share."""

from __future__ import annotations

from dpwitness.core.domains import Domain, real, whole
from dpwitness.core.functions import exp, log, logistic, sqrt
from dpwitness.core.guarantees import ZCDP, ApproxDP, GaussianDP, Guarantee, PureDP, RenyiDP
from dpwitness.core.mechanism import BlackBox, Mechanism, Proved, Refuted, mechanism
from dpwitness.core.numbers import Exact, exact
from dpwitness.core.spaces import Answers, Box, Interval, Pair, Records

__all__ = [
    "ZCDP",
    "Answers",
    "ApproxDP",
    "BlackBox",
    "Box",
    "Domain",
    "Exact",
    "GaussianDP",
    "Guarantee",
    "Interval",
    "Mechanism",
    "Pair",
    "Proved",
    "PureDP",
    "Records",
    "Refuted",
    "RenyiDP",
    "exact",
    "exp",
    "log",
    "logistic",
    "mechanism",
    "real",
    "sqrt",
    "whole",
]
