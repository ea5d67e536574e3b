"""Training runs described in TOML, as compositions with a claim.

    [account]
    sampling = "poisson"            # each record with probability batch_size / data_size in every step
    batch_size = 256
    data_size = 60000
    epochs = 15
    noise_multiplier = 1.1          # deviation of the noise over the clipping norm
    epsilon = 3                     # the claim
    delta = 1e-5

or ``expression = "poisson(0.01, gaussian(1)) * 1000"`` in place of the first five. Numbers are read as they are
written.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

from dpwitness.core.errors import BadInput
from dpwitness.core.numbers import exact
from dpwitness.proofs.accounting.composition import Composition
from dpwitness.proofs.accounting.expressions import read_composition
from dpwitness.proofs.accounting.steps import NoProvedPair, gaussian, poisson, sample

MAX_BYTES = 1 << 20
RUN = ("sampling", "batch_size", "data_size", "epochs", "noise_multiplier")


@dataclass(frozen=True)
class Config:
    """A composition, δ, and the claimed ε if there is one."""

    whole: Composition
    delta: Fraction
    epsilon: Fraction | None


def read_config(path: str | Path) -> Config:
    """Read a TOML file."""
    try:
        content = Path(path).read_bytes()
        if len(content) > MAX_BYTES:
            raise BadInput(f"{path} is larger than {MAX_BYTES} bytes")
        return from_mapping(tomllib.loads(content.decode("utf-8"), parse_float=str))
    except OSError as error:
        raise BadInput(f"{str(path)!r} cannot be read: {error.strerror}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise BadInput(f"{str(path)!r} is not TOML: {error}") from None


def from_mapping(content: Mapping[str, Any]) -> Config:
    """The configuration of the table ``account``; every field is checked and nothing is assumed."""
    table = content.get("account")
    if not isinstance(table, Mapping):
        raise BadInput("the file needs a table [account]")
    known = {*RUN, "expression", "epsilon", "delta"}
    unknown = [str(key) for key in table if key not in known]
    if unknown:
        raise BadInput(f"[account] has unknown fields {unknown}; known: {', '.join(sorted(known))}")
    if "delta" not in table:
        raise BadInput("[account] needs delta")
    delta = Fraction(exact(table["delta"], "delta"))
    claimed = Fraction(exact(table["epsilon"], "epsilon")) if "epsilon" in table else None
    if "expression" in table:
        if any(key in table for key in RUN):
            raise BadInput("[account] has an expression and the fields of a training run: one of both is enough")
        return Config(read_composition(str(table["expression"])), delta, claimed)
    missing = [key for key in RUN if key not in table]
    if missing:
        raise BadInput(f"[account] needs {', '.join(missing)}")
    return Config(_run(table), delta, claimed)


def _run(table: Mapping[str, Any]) -> Composition:
    batch, size = table["batch_size"], table["data_size"]
    if not all(isinstance(x, int) and not isinstance(x, bool) for x in (batch, size)) or not 1 <= batch <= size:
        raise BadInput(
            f"batch_size={batch!r} and data_size={size!r} must be whole numbers with 1 ≤ batch_size ≤ data_size"
        )
    steps = Fraction(exact(table["epochs"], "epochs")) * size / batch
    times: int = -(-steps.numerator // steps.denominator)
    noise = gaussian(exact(table["noise_multiplier"], "noise_multiplier"))
    if table["sampling"] == "poisson":
        return poisson(noise, Fraction(batch, size)) * times
    if table["sampling"] == "without-replacement":  # replacing a record moves the clipped sum by twice the norm
        return sample(gaussian(exact(table["noise_multiplier"], "noise_multiplier"), 2), batch, size) * times
    if table["sampling"] == "shuffle":
        raise NoProvedPair("batches of a shuffled epoch are not Poisson samples: no pair is proved for them here")
    raise BadInput(f"sampling={str(table['sampling'])[:40]!r} must be poisson, without-replacement or shuffle")
