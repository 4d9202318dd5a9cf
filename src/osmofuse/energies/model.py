r"""The joint model of one channel.

.. math::

    E(u, v) = O(u, v) + \frac{\mu}{2} |v - w|^2
            + \frac{\gamma}{2} \sum_i \alpha_i (u_i - f_i)^2 + \eta\, R(v)
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from osmofuse.energies.osmosis import osmosis, osmosis_forward, osmosis_gradients
from osmofuse.energies.quadratic import Quadratic
from osmofuse.energies.regularisers import HuberTV, Regulariser
from osmofuse.typing import FloatArray

Edges: TypeAlias = Literal["harmonic", "forward"]


@dataclass(frozen=True, eq=False)
class Channel:
    """Planes of one channel, offset included: the data of the model, and where u starts.

    Attributes
    ----------
    f : array
        Foreground.
    alpha : array
        Weight of the foreground's values; with an infinite gamma 1 where u is held, else 0.
    w : array
        Target of the structure, from which v starts.
    start : array
        Initial u; it may be f itself.
    """

    f: FloatArray
    alpha: FloatArray
    w: FloatArray
    start: FloatArray


@dataclass(frozen=True, eq=False)
class JointModel:
    r"""The four terms of the energy on one channel, offset included.

    Parameters
    ----------
    structure : Quadratic
        :math:`\frac{\mu}{2} |v - w|^2`.
    fidelity : Quadratic
        :math:`\frac{\gamma}{2} \sum \alpha (u - f)^2`.
    regulariser : Regulariser
        :math:`\eta R(v)`.
    """

    structure: Quadratic
    fidelity: Quadratic
    regulariser: Regulariser

    def terms(self, u: FloatArray, v: FloatArray, edges: Edges = "harmonic") -> dict[str, float]:
        """Return the value of each term by name."""
        o = osmosis if edges == "harmonic" else osmosis_forward
        return {
            "osmosis": o(u, v),
            "structure": self.structure.value(v),
            "fidelity": self.fidelity.value(u),
            "regulariser": self.regulariser.value(v),
        }

    @property
    def proximal_term(self) -> HuberTV | None:
        """The regulariser if it is descended on by its proximal map; others by their gradient."""
        return self.regulariser if isinstance(self.regulariser, HuberTV) else None

    def coupling(self, u: FloatArray, v: FloatArray) -> float:
        r"""Return the smooth part: :math:`O(u, v) + \frac{\mu}{2}|v - w|^2`, and a smooth R."""
        smooth = 0.0 if self.proximal_term else self.regulariser.value(v)
        return osmosis(u, v) + self.structure.value(v) + smooth

    def coupling_gradients(self, u: FloatArray, v: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the gradients of :meth:`coupling` in u and v."""
        gu, gv = osmosis_gradients(u, v)
        gv += self.structure.gradient(v)
        if self.proximal_term is None:
            gv += self.regulariser.gradient(v)
        return gu, gv
