"""Models of certificates run beside the programs: with the same data, parameters and draws."""

from __future__ import annotations

import random
from fractions import Fraction

from dpwitness.core.coexecution.model import Computed
from dpwitness.core.noise import Noise
from dpwitness.core.numbers import Exact
from dpwitness.core.readers.scalar import check_number
from dpwitness.proofs.anyn.executable import Impossible, executable


class Unlike(Exception):
    """Model and program differ in a run."""


class Given(Noise):
    """Hands out prepared draws, then random ones, as the scalar reader does; notes laws and values."""

    def __init__(self, values, rng):
        self.given, self.rng = list(values), rng
        self.laws, self.values = [], []

    def draw(self, law):
        k = len(self.laws)
        self.laws.append(law)
        if k < len(self.given):
            value = self.given[k]
        elif law.support == "finite":
            value = self.rng.randrange(len(law.weights))
        else:
            value = abs(self.rng.gauss(0, 2)) if law.support == "nonnegative" else self.rng.gauss(0, 2)
            value = round(value) if law.support == "integers" else value
        self.values.append(value)
        return value

    def check(self, name, value, *, above, below=None, closed=False):
        return check_number(name, value, above, below, closed)

    def argmax(self, values):
        assert len(values), "argmax of no values"
        return max(range(len(values)), key=lambda i: (values[i], -i))

    def max(self, values):
        return max(values)


def same(model, program, size):
    """Whether an output is the model's: constants by type and value, computed numbers up to rounding."""
    if isinstance(model, Computed):
        number = isinstance(program, int | float | Fraction) and not isinstance(program, bool)
        return number and abs(float(model.value) - float(program)) <= 1e-9 * (1 + size)
    if isinstance(model, list | tuple):
        return (
            type(program) is type(model)
            and len(model) == len(program)
            and all(same(a, b, size) for a, b in zip(model, program, strict=True))
        )
    if isinstance(program, Exact) and program.denominator == 1:
        program = int(program)
    return type(model) is type(program) and repr(model) == repr(program)


def compare(program, model, probe, rng):
    """One run of both; returns the places that the model passed."""
    noise = Given(probe.draws, rng)
    output = program(noise, list(probe.data), **probe.params)
    laws, values = iter(noise.laws), iter(noise.values)

    def source(law):
        theirs = next(laws, None)
        if theirs is None:
            raise Unlike(f"{probe}: the model draws from {law}, the program does not draw")
        if law.name != theirs.name or any(
            abs(float(a) - float(b)) > 1e-12 * abs(float(b))
            for a, b in zip(flat(law), flat(theirs), strict=True)
        ):
            raise Unlike(f"{probe}: the model draws from {law}, the program from {theirs}")
        return next(values)

    try:
        trace = model.run(probe.data, probe.params, source)
    except Impossible as error:
        raise Unlike(f"{probe}: {error}, the program returns {output!r}") from None
    if next(laws, None) is not None:
        raise Unlike(f"{probe}: the program makes more draws than the model")
    size = max([0.0, *(abs(float(v)) for v in (*noise.values, *probe.data))])
    if not same(trace.output, output, size):
        raise Unlike(f"{probe} with the draws {noise.values}: the model gives {trace.output}, the program {output!r}")
    return trace.places


def flat(law):
    return [x for value in law.params().values() for x in (value if isinstance(value, tuple) else (value,))]


def coexecute(claim, certificate, seed=0):
    """Run all probes of the model; returns how many there were. `Unlike` where a run differs or a leaf is not reached."""
    model = executable(certificate, claim)
    rng = random.Random(seed)
    reached, count = set(), 0
    for probe in model.probes(claim, rng):
        reached.update(compare(claim.mechanism.program, model, probe, rng))
        count += 1
    missing = set(model.places()) - reached
    if missing:
        raise Unlike(f"no run reaches {sorted(missing)}")
    return count
