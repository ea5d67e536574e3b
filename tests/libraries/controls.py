"""Releases of other people's libraries, each with a scale: at 1 the claim holds, at 1/2 there is half of the noise."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

DELTA = 0.01
DEVIATION = 1.9  # normal noise of this deviation is (1, 0.01)-private for a shift by 1: its δ at ε = 1 is 0.0093

# of many candidates one rises by 1 and all others fall by 1: the loss of a selection is then nearly its ε
LOW, HIGH = [0.0] + [1.0] * 39, [1.0] + [0.0] * 39


@dataclass(frozen=True)
class Control:
    """A release of one library.

    Parameters
    ----------
    make
        From a scale to a release of one input; loads the library.
    """

    library: str
    name: str
    make: Callable[[float], Callable[[Any], Any]]
    left: Any
    right: Any
    delta: float = 0.0

    def __str__(self) -> str:
        return f"{self.library}: {self.name}"


CONTROLS: list[Control] = []


def control(library: str, left: Any, right: Any, delta: float = 0.0) -> Callable[..., Any]:
    """Add a maker of releases to the controls."""

    def add(make: Callable[[float], Callable[[Any], Any]]) -> Callable[[float], Callable[[Any], Any]]:
        CONTROLS.append(Control(library, make.__name__.strip("_"), make, left, right, delta))
        return make

    return add


def diffprivlib(name: str, left: Any, right: Any, delta: float = 0.0, **options: Any) -> None:
    """A mechanism of diffprivlib that is given ε, at 1/scale."""

    def make(scale: float) -> Callable[[Any], Any]:
        import diffprivlib.mechanisms as library

        more = {"delta": delta} if delta else {}
        return getattr(library, name)(epsilon=1 / scale, **more, **options).randomise

    CONTROLS.append(Control("diffprivlib", name, make, left, right, delta))


diffprivlib("Laplace", 0.0, 1.0, sensitivity=1)
diffprivlib("LaplaceTruncated", 0.0, 1.0, sensitivity=1, lower=-3, upper=3)
diffprivlib("LaplaceFolded", 0.0, 1.0, sensitivity=1, lower=-3, upper=3)
diffprivlib("Staircase", 0.0, 1.0, sensitivity=1)
diffprivlib("Geometric", 0, 1, sensitivity=1)
diffprivlib("GeometricTruncated", 0, 1, sensitivity=1, lower=-3, upper=3)
diffprivlib("Binary", "no", "yes", value0="no", value1="yes")


@control("diffprivlib", LOW, HIGH)
def exponential(scale):
    from diffprivlib.mechanisms import Exponential

    return lambda scores: Exponential(epsilon=1 / scale, sensitivity=1, utility=list(scores)).randomise()


@control("diffprivlib", LOW, HIGH)
def permute_and_flip(scale):
    from diffprivlib.mechanisms import PermuteAndFlip

    return lambda scores: PermuteAndFlip(epsilon=1 / scale, sensitivity=1, utility=list(scores)).randomise()


@control("diffprivlib", 0.0, 1.0, DELTA)
def gaussian_analytic(scale):
    from diffprivlib.mechanisms import GaussianAnalytic

    noisy = GaussianAnalytic(epsilon=1, delta=DELTA, sensitivity=scale)
    return noisy.randomise


def _opendp():
    import opendp.prelude as dp

    dp.enable_features("contrib")
    return dp


@control("opendp", 0.0, 1.0)
def laplace(scale):
    dp = _opendp()
    return dp.m.make_laplace(dp.atom_domain(T=float, nan=False), dp.absolute_distance(T=float), scale=scale)


@control("opendp", 0, 1)
def discrete_laplace(scale):
    dp = _opendp()
    return dp.m.make_laplace(dp.atom_domain(T=int), dp.absolute_distance(T=int), scale=scale)


@control("opendp", [0.0, 0.0, 0.0], [1.0, 0.0, 0.0])
def vector_laplace(scale):
    dp = _opendp()
    return dp.m.make_laplace(dp.vector_domain(dp.atom_domain(T=float, nan=False)), dp.l1_distance(T=float), scale=scale)


@control("opendp", 0.0, 1.0, DELTA)
def gaussian(scale):
    dp = _opendp()
    space = dp.atom_domain(T=float, nan=False), dp.absolute_distance(T=float)
    return dp.m.make_gaussian(*space, scale=DEVIATION * scale)


@control("opendp", LOW, HIGH)
def noisy_max(scale):
    dp = _opendp()
    space = dp.vector_domain(dp.atom_domain(T=float, nan=False)), dp.linf_distance(T=float)
    return dp.m.make_noisy_max(*space, dp.max_divergence(), 2.0 * scale)


@control("opendp", False, True)
def randomized_response(scale):
    dp = _opendp()
    return dp.m.make_randomized_response_bool(prob=1 / (1 + math.exp(-1 / scale)))


@control("pydp", [1.0] * 5, [1.0] * 6)
def count(scale):
    from pydp.algorithms.laplacian import Count

    return lambda data: Count(epsilon=1 / scale, dtype="float").quick_result(list(data))


@control("pydp", [1.0] * 5, [1.0] * 6)
def bounded_sum(scale):
    from pydp.algorithms.laplacian import BoundedSum

    def release(data):
        return BoundedSum(epsilon=1 / scale, lower_bound=0, upper_bound=1, dtype="float").quick_result(list(data))

    return release


@control("snsql", 0.0, 1.0)
def laplace_of_smartnoise(scale):
    from snsql.sql._mechanisms.laplace import Laplace

    noisy = Laplace(1 / scale, sensitivity=1.0)
    return lambda x: noisy.release([x])[0]


@control("snsql", 0, 1)
def whole_laplace_of_smartnoise(scale):
    from snsql.sql._mechanisms.laplace import Laplace

    noisy = Laplace(1.0, sensitivity=scale)
    return lambda x: noisy.release([x])[0]


@control("tmlt.core", 0.0, 1.0)
def laplace_of_tumult(scale):
    from tmlt.core.domains.numpy_domains import NumpyFloatDomain
    from tmlt.core.measurements.noise_mechanisms import AddLaplaceNoise
    from tmlt.core.utils.exact_number import ExactNumber

    noisy = AddLaplaceNoise(input_domain=NumpyFloatDomain(), scale=ExactNumber.from_float(scale, round_up=False))
    return lambda x: float(noisy(np.float64(x)))


@control("tmlt.core", 0, 1)
def geometric_of_tumult(scale):
    from tmlt.core.measurements.noise_mechanisms import AddGeometricNoise
    from tmlt.core.utils.exact_number import ExactNumber

    noisy = AddGeometricNoise(alpha=ExactNumber.from_float(scale, round_up=False))
    return lambda x: int(noisy(np.int64(x)))


@control("tmlt.core", 0, 1, DELTA)
def discrete_gaussian_of_tumult(scale):
    from tmlt.core.measurements.noise_mechanisms import AddDiscreteGaussianNoise
    from tmlt.core.utils.exact_number import ExactNumber

    variance = ExactNumber.from_float((1.02 * DEVIATION * scale) ** 2, round_up=True)
    noisy = AddDiscreteGaussianNoise(sigma_squared=variance)
    return lambda x: int(noisy(np.int64(x)))


@control("opacus", [[0.5], [-0.5]], [[0.5], [-0.5], [3.0]], DELTA)
def clipped_gradients(scale):
    import torch
    from opacus.optimizers import DPOptimizer

    def release(gradients):
        weight = torch.nn.Parameter(torch.zeros(1))
        inner = torch.optim.SGD([weight], lr=1.0)
        noisy = DPOptimizer(inner, noise_multiplier=DEVIATION * scale, max_grad_norm=1.0, expected_batch_size=1,
                            loss_reduction="sum")  # fmt: skip
        weight.grad_sample = torch.tensor(gradients)
        noisy.step()
        return float(weight.detach()[0])

    return release


@control("opacus", 0.0, 1.0, DELTA)
def noise_of_opacus(scale):
    import torch
    from opacus.optimizers.optimizer import _generate_noise

    shape = torch.zeros(1)
    return lambda x: x + float(_generate_noise(DEVIATION * scale, shape)[0])
