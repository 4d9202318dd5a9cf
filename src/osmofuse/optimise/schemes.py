r"""The schemes by which :math:`u_t = A u` can be followed on a split matrix, by name.

- ``explicit``: of order 1, always positive, by parts of a step;
- ``peaceman-rachford``: of order 2, positive for steps up to 1/2;
- ``douglas``: of order 1, positive for no step surely;
- ``aos``, ``mos``, ``amos``: of order 1, always positive, but their ends are off by a multiple
  of the step where pictures meet;
- ``exponential``: exact, always positive.

The implicit scheme, of order 1 and always positive, needs a solver of the whole matrix:
:mod:`osmofuse.optimise.implicit`. All of them keep mass where nothing is held.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, TypeAlias

from osmofuse.linalg import SplitMatrix
from osmofuse.optimise.adi import Douglas, PeacemanRachford
from osmofuse.optimise.evolve import Stepper
from osmofuse.optimise.explicit import Explicit
from osmofuse.optimise.exponential import Exponential
from osmofuse.optimise.operator_splitting import (
    AdditiveSplitting,
    MultiplicativeSplitting,
    SymmetricSplitting,
)

Scheme: TypeAlias = Literal[
    "implicit", "explicit", "peaceman-rachford", "douglas", "aos", "mos", "amos", "exponential"
]

# Those with a loop of their own ask between its rounds whether to go on.
LOOPS: dict[str, Callable[..., Stepper]] = {"explicit": Explicit, "exponential": Exponential}
SCHEMES: dict[str, Callable[..., Stepper]] = {
    **LOOPS,
    "peaceman-rachford": PeacemanRachford,
    "douglas": Douglas,
    "aos": AdditiveSplitting,
    "mos": MultiplicativeSplitting,
    "amos": SymmetricSplitting,
}


def stepper(
    scheme: str, A: SplitMatrix, tau: float, go_on: Callable[[], bool] = lambda: True
) -> Stepper:
    """Return what makes steps of a length by a scheme of `SCHEMES`."""
    make = SCHEMES[scheme]
    return make(A, tau, go_on) if scheme in LOOPS else make(A, tau)
