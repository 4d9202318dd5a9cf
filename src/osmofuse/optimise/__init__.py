"""Loops: one `iterate`, and the minimisers built on it."""

from osmofuse.optimise.ipiano import IPiano, ipiano
from osmofuse.optimise.iterate import Outcome, iterate
from osmofuse.optimise.primal_dual import PrimalDual, primal_dual
from osmofuse.optimise.progress import Progress, Status, Step, Watch

__all__ = [
    "IPiano",
    "Outcome",
    "PrimalDual",
    "Progress",
    "Status",
    "Step",
    "Watch",
    "ipiano",
    "iterate",
    "primal_dual",
]
