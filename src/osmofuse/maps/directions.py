r"""Directions of structures in a picture, and tensors that diffuse along them.

A field of directions is found from derivatives, smoothed by a structure tensor, or from votes of
edges along circular arcs (`osmofuse.filters.tensor_voting`). In a band where the picture itself is
of no use, such as the boundary of a shadow or a seam, derivatives are left out: its directions come
from both sides. The structure tensor is exact for dense stripes. Votes continue single edges, also
bent ones, but parallel stripes vote for arcs between them.

Angles are in radians from the columns' axis towards the rows': 0 is along a row, :math:`\pi/2` is
down a column.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from osmofuse.checks import choice, number
from osmofuse.errors import MismatchError
from osmofuse.filters import derivatives, sticks, structure_tensor, tensor_voting
from osmofuse.typing import BoolArray, FloatArray

Search: TypeAlias = Literal["structure", "voting"]

SEARCHES: tuple[Search, ...] = ("structure", "voting")
SCALES = (5.0, 10.0, 15.0)  # deviations of votes in pixels, those of Parisotto et al. 2019
WIDEST = 100.0  # largest deviation of a Gaussian, in pixels
# Part of the largest strength below which there are no directions, only rounding of the FFT.
FAINT = 1e-9


@dataclass(frozen=True, eq=False)
class Directions:
    r"""Field of directions.

    Attributes
    ----------
    angle : array, (rows, cols)
        Direction along structures, :math:`-\pi/2` to :math:`\pi/2`.
    strength : array, (rows, cols)
        Votes or squared derivatives that agree, 0 where there is no direction.
    coherence : array, (rows, cols)
        The part of all of them that agree, 0 to 1.
    """

    angle: FloatArray
    strength: FloatArray
    coherence: FloatArray

    def tensors(
        self, where: BoolArray, *, along: float = 1.0, across: float = 0.0025
    ) -> FloatArray:
        r"""Return the tensor field :math:`W = \lambda_\perp z z^T + \lambda_\parallel t t^T`.

        Here t is the direction and z is across it. W is the identity outside a mask, and where
        there is no direction.

        Parameters
        ----------
        where : array of bool, (rows, cols)
            Pixels of the band.
        along, across : float
            Eigenvalues along and across structures. The published values are 1 and 0.05².

        Returns
        -------
        array, (3, rows, cols)
            Row-row, row-column and column-column entries.
        """
        number("along", along, least=1e-4, most=1.0)
        number("across", across, least=1e-4, most=1.0)
        W = np.zeros((3, *where.shape))
        W[0] = W[2] = 1.0
        here = where & (self.strength > 0)
        down, right = np.sin(self.angle[here]), np.cos(self.angle[here])
        W[0, here] = along * down * down + across * right * right
        W[1, here] = (along - across) * down * right
        W[2, here] = along * right * right + across * down * down
        return W


def directions(
    picture: FloatArray | Sequence[FloatArray],
    where: BoolArray | None = None,
    *,
    method: Search = "structure",
    sigma: float = 0.25,
    rho: float = 2.0,
    scales: Sequence[float] = SCALES,
) -> Directions:
    r"""Return the directions of structures in a picture.

    Parameters
    ----------
    picture : array, (rows, cols) or (rows, cols, channels), or sequence of planes
        Picture of floats; the channels' evidence is added up.
    where : array of bool, (rows, cols), optional
        Band whose directions are to be found from outside: derivatives that use its pixels do not
        count. Votes are counted near it alone.
    method : {"structure", "voting"}
        The structure tensor, which reaches three times `rho` into a band; or tensor voting, summed
        over scales.
    sigma : float, 0 to 100
        Deviation of the Gaussian before the derivatives, :math:`\sigma`, in pixels.
    rho : float, 0.1 to 100
        Deviation of the Gaussian that averages the structure tensor, :math:`\rho`.
    scales : sequence of float, each 0.1 to 100
        Deviations of the votes, in pixels; a vote reaches three of them.

    Raises
    ------
    MismatchError
        If the band has another size.

    Examples
    --------
    >>> import numpy as np
    >>> rows, cols = np.mgrid[:40, :40]
    >>> found = directions(np.sin(0.8 * (rows + cols)), abs(rows - 20) < 4)
    >>> float(np.degrees(found.angle[20, 20]).round())
    -45.0
    """
    choice("method", method, SEARCHES)
    number("sigma", sigma, most=WIDEST)
    number("rho", rho, least=0.1, most=WIDEST)
    for scale in scales:
        number("scales", scale, least=0.1, most=WIDEST)
    planes = _planes(picture)
    hidden = np.zeros(planes[0].shape, bool) if where is None else _read_from(where)
    if hidden.shape != planes[0].shape:
        raise MismatchError(
            f"where: the band is {hidden.shape}, the picture {planes[0].shape}; give one size"
        )
    if method == "structure":
        return _by_structure(planes, hidden, sigma, rho)
    return _by_voting(planes, hidden, sigma, scales, where)


def _planes(picture: FloatArray | Sequence[FloatArray]) -> list[FloatArray]:
    """Return the channels of a picture."""
    if isinstance(picture, np.ndarray):
        return [picture] if picture.ndim == 2 else list(np.moveaxis(picture, 2, 0))
    return list(picture)


def _read_from(where: BoolArray) -> BoolArray:
    """Return a mask of the pixels whose central differences use a pixel of a band."""
    from scipy.ndimage import binary_dilation

    return np.asarray(binary_dilation(where))


def _by_structure(
    planes: list[FloatArray], hidden: BoolArray, sigma: float, rho: float
) -> Directions:
    """Return the directions of the eigenvectors of the smaller eigenvalue."""
    down, mixed, right = structure_tensor(planes, sigma, rho, hidden=hidden)
    # The direction across structures, doubled, turned by a right angle.
    doubled = -((right - down) + 2j * mixed)
    return _elected(doubled, down + right)


def _by_voting(
    planes: list[FloatArray],
    hidden: BoolArray,
    sigma: float,
    scales: Sequence[float],
    where: BoolArray | None,
) -> Directions:
    """Return the directions elected by sticks along the edges."""
    c = np.zeros((4, *hidden.shape), complex)
    for x in planes:
        down, right = derivatives(x, sigma)
        saliency = np.where(hidden, 0.0, np.abs(down) + np.abs(right))
        c += sticks(saliency, np.arctan2(down, right) + np.pi / 2)
    every = [tensor_voting(c, scale, where) for scale in scales]
    return _elected(
        np.asarray(sum(votes.doubled for votes in every)),
        np.asarray(sum(votes.total for votes in every)),
    )


def _elected(doubled: FloatArray, total: FloatArray) -> Directions:
    """Return directions from doubled ones and all the evidence."""
    strength = np.abs(doubled)
    strength[strength <= FAINT * strength.max(initial=0.0)] = 0.0
    coherence = np.divide(strength, total, out=np.zeros_like(strength), where=total > 0)
    return Directions(0.5 * np.angle(doubled), strength, np.minimum(coherence, 1.0))
