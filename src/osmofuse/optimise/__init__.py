"""Loops: one `iterate`, and the minimisers and time steppers built on it."""

from osmofuse.optimise.adi import Douglas, PeacemanRachford
from osmofuse.optimise.evolve import Evolution, Stepper, evolve
from osmofuse.optimise.explicit import Explicit
from osmofuse.optimise.exponential import Exponential
from osmofuse.optimise.implicit import Implicit
from osmofuse.optimise.ipiano import IPiano, ipiano
from osmofuse.optimise.iterate import Outcome, iterate
from osmofuse.optimise.operator_splitting import (
    AdditiveSplitting,
    MultiplicativeSplitting,
    SymmetricSplitting,
)
from osmofuse.optimise.primal_dual import PrimalDual, primal_dual

__all__ = [
    "AdditiveSplitting",
    "Douglas",
    "Evolution",
    "Explicit",
    "Exponential",
    "IPiano",
    "Implicit",
    "MultiplicativeSplitting",
    "Outcome",
    "PeacemanRachford",
    "PrimalDual",
    "Stepper",
    "SymmetricSplitting",
    "evolve",
    "ipiano",
    "iterate",
    "primal_dual",
]
