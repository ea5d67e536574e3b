"""Translation validation: the model of a proof is run beside the program that ships, on the same inputs and draws.

========== ====================================================================================================
file       what it does
========== ====================================================================================================
model      what a reader hands over: a model that can be run
harness    `coexecute`: model and program side by side, on inputs from the whole space and on the model's probes
running    runs of the program on prescribed draws, in the scalar reader and in the batched one
inputs     inputs from the whole space
draws      values of draws of several magnitudes
comparing  whether laws and outputs are the same
rounding   which way a test goes, and whether rounding could change that
========== ====================================================================================================
"""

from dpwitness.core.coexecution.harness import Coexecution, coexecute
from dpwitness.core.coexecution.model import (
    Array,
    Computed,
    Fixed,
    Model,
    NoWay,
    Probe,
    Scoped,
    Trace,
    Unfaithful,
    UnknownInput,
)

__all__ = [
    "Array",
    "Coexecution",
    "Computed",
    "Fixed",
    "Model",
    "NoWay",
    "Probe",
    "Scoped",
    "Trace",
    "Unfaithful",
    "UnknownInput",
    "coexecute",
]
