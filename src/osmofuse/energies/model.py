r"""The joint model of one channel.

.. math::

    E(u, v) = O(u, v) + \frac{\mu}{2} |v - w|^2
            + \frac{\gamma}{2} \sum_i \alpha_i (u_i - f_i)^2 + \eta\, R(v)
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, Protocol, TypeAlias

from osmofuse.energies.huber import HuberTV
from osmofuse.energies.osmosis import osmosis, osmosis_forward, osmosis_gradients
from osmofuse.energies.quadratic import Quadratic
from osmofuse.typing import FloatArray

Edges: TypeAlias = Literal["harmonic", "forward"]


class Smooth(Protocol):
    """A term with a gradient everywhere, such as `Tikhonov`."""

    def value(self, v: FloatArray, /) -> float:
        """Return the energy of a plane."""
        ...

    def gradient(self, v: FloatArray, /) -> FloatArray:
        """Return its gradient."""
        ...


@dataclass(frozen=True, eq=False)
class JointModel:
    r"""The four terms of the energy on one channel, offset included.

    Parameters
    ----------
    structure : Quadratic
        :math:`\frac{\mu}{2} |v - w|^2`.
    fidelity : Quadratic
        :math:`\frac{\gamma}{2} \sum \alpha (u - f)^2`.
    regulariser : HuberTV, a smooth term such as Tikhonov, or None
        :math:`\eta R(v)`.
    """

    structure: Quadratic
    fidelity: Quadratic
    regulariser: HuberTV | Smooth | None

    def terms(self, u: FloatArray, v: FloatArray, edges: Edges = "harmonic") -> dict[str, float]:
        """Return the value of each term by name."""
        o = osmosis if edges == "harmonic" else osmosis_forward
        return {
            "osmosis": o(u, v),
            "structure": self.structure.value(v),
            "fidelity": self.fidelity.value(u),
            "regulariser": self.regulariser.value(v) if self.regulariser else 0.0,
        }

    @property
    def _smooth(self) -> Smooth | None:
        """The regulariser where it is smooth: the paper then descends on it explicitly."""
        return None if isinstance(self.regulariser, HuberTV) else self.regulariser

    def coupling(self, u: FloatArray, v: FloatArray) -> float:
        r"""Return the smooth part: :math:`O(u, v) + \frac{\mu}{2}|v - w|^2`, and a smooth R."""
        smooth = self._smooth.value(v) if self._smooth else 0.0
        return osmosis(u, v) + self.structure.value(v) + smooth

    def coupling_gradients(self, u: FloatArray, v: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the gradients of :meth:`coupling` in u and v."""
        gu, gv = osmosis_gradients(u, v)
        gv += self.structure.gradient(v)
        if self._smooth:
            gv += self._smooth.gradient(v)
        return gu, gv
