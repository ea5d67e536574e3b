"""The laws that a program may draw from: one file each.

`dpwitness.core.laws.law` says what a law knows of itself; the integer-valued discrete Laplace and Gaussian laws and the
finite ones are drawn exactly (see `dpwitness.core.readers.discrete`).
"""

from __future__ import annotations

from dpwitness.core.laws.admissible import Admissible
from dpwitness.core.laws.bernoulli import Bernoulli, Logit
from dpwitness.core.laws.choice import Choice, LogChoice
from dpwitness.core.laws.discrete_gaussian import DiscreteGaussian
from dpwitness.core.laws.discrete_laplace import DiscreteLaplace
from dpwitness.core.laws.exponential import Exponential
from dpwitness.core.laws.gamma import Gamma
from dpwitness.core.laws.gaussian import Gaussian
from dpwitness.core.laws.gumbel import Gumbel
from dpwitness.core.laws.laplace import Laplace
from dpwitness.core.laws.law import Domain, Law, Support
from dpwitness.core.laws.negative_binomial import NegativeBinomial
from dpwitness.core.laws.poisson import Poisson
from dpwitness.core.laws.staircase import Staircase
from dpwitness.core.laws.student_t import StudentT
from dpwitness.core.laws.truncated_laplace import TruncatedLaplace
from dpwitness.core.laws.uniform import Uniform

__all__ = [
    "Admissible", "Bernoulli", "Choice", "DiscreteGaussian", "DiscreteLaplace", "Domain", "Exponential", "Gamma",
    "Gaussian", "Gumbel", "Laplace", "Law", "LogChoice", "Logit", "NegativeBinomial", "Poisson", "Staircase",
    "StudentT", "Support", "TruncatedLaplace", "Uniform",
]  # fmt: skip
