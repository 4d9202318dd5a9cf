"""Iterations: one loop, `iterate`, and the minimisers and time steppers built on it."""

from osmofuse.optimise.evolve import Evolution, Stepper, evolve
from osmofuse.optimise.ipiano import IPiano, ipiano
from osmofuse.optimise.iterate import Outcome, iterate
from osmofuse.optimise.primal_dual import PrimalDual, primal_dual
from osmofuse.optimise.steppers import (
    AdditiveSplitting,
    Douglas,
    Explicit,
    Exponential,
    Implicit,
    MultiplicativeSplitting,
    PeacemanRachford,
    SymmetricSplitting,
)

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
