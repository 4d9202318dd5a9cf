"""Loops: one `iterate`, and the minimisers and time steppers built on it."""

from osmofuse.optimise.evolve import Evolution, Stepper, evolve
from osmofuse.optimise.implicit import Implicit
from osmofuse.optimise.ipiano import IPiano, ipiano
from osmofuse.optimise.iterate import Outcome, iterate
from osmofuse.optimise.primal_dual import PrimalDual, primal_dual
from osmofuse.optimise.progress import Progress, Status, Step, Watch, worst

__all__ = [
    "Evolution",
    "IPiano",
    "Implicit",
    "Outcome",
    "PrimalDual",
    "Progress",
    "Status",
    "Step",
    "Stepper",
    "Watch",
    "evolve",
    "ipiano",
    "iterate",
    "primal_dual",
    "worst",
]
