"""A draw whose law is named by a parameter of the test, without looking inside the noise."""

from __future__ import annotations


def drawn(noise, law, scale):
    laws = {
        "laplace": noise.laplace,
        "exponential": noise.exponential,
        "gaussian": noise.gaussian,
        "discrete_laplace": noise.discrete_laplace,
    }
    return laws[law](scale)
