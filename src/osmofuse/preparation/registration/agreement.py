"""What local shifts agree on: a small change of the transform, and how well they fix it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from osmofuse.preparation.registration.tiles import Shifts
from osmofuse.preparation.registration.transform import Kind, basis, rates
from osmofuse.typing import BoolArray, FloatArray

# Of a good tile's error, in units of its own spread: where robust weights begin to fall.
_WIDTH = 1.5
_ROUNDS = 12
_SHARED = 4  # tiles overlap by half, so that four of them are about one observation


@dataclass(frozen=True, eq=False)
class Change:
    """A small change of a transform.

    Attributes
    ----------
    matrix : array of shape (3, 3)
        It takes points of the frame to where they should be.
    weights : array of shape (n,)
        How much each tile had to say.
    kind : {"translation", "similarity", "affine", "homography"}
        What it may do.
    covariance : array of shape (changes, changes)
        Of its parameters, in units of `shrink`.
    shrink : array of shape (3, 3)
        Takes points of the frame to about [-1, 1].
    """

    matrix: FloatArray
    weights: FloatArray
    kind: Kind
    covariance: FloatArray
    shrink: FloatArray

    def error(self, points: FloatArray) -> float:
        """Return the standard error with which tiles fix some points, in pixels, on average."""
        scale = float(self.shrink[0, 0])
        slopes = rates(self.kind, points * scale + self.shrink[:2, 2]) / scale
        variance = np.einsum("nik,kl,nil->n", slopes, self.covariance, slopes)
        return float(np.sqrt(variance).mean())


def agreed_change(shifts: Shifts, kind: Kind, keep: BoolArray | None = None) -> Change:
    r"""Find the small change of a transform that takes the shifts away.

    .. math:: \min_G \sum_i w_i (G(p_i + d_i) - p_i)^\top W_i (G(p_i + d_i) - p_i)

    with weights :math:`w_i` that fall where a tile does not agree with the others. The covariance
    is that of weighted least squares with errors as large as they are found to be,
    :math:`A^{-1} (\sum_i g_i g_i^\top) A^{-1}` for the normal matrix :math:`A` and the slopes
    :math:`g_i` of the terms; a third too small where the weights follow the errors, and meant for
    comparing.

    Parameters
    ----------
    shifts : Shifts
        Of the tiles.
    kind : {"translation", "similarity", "affine", "homography"}
        What the change may do.
    keep : array of bool, (n,), optional
        Which tiles count.
    """
    scale = float(np.abs(shifts.centres).max()) + 1.0
    centre = shifts.centres.mean(axis=0)
    points = (shifts.centres + shifts.shifts - centre) / scale
    roots = np.linalg.cholesky(shifts.information).transpose(0, 2, 1)
    slopes = roots @ (rates(kind, points) * scale)
    target = -(roots @ shifts.shifts[..., None])[..., 0]
    weights = shifts.peaks**2 * (1.0 if keep is None else keep)
    change = np.zeros(slopes.shape[2])
    robust = weights
    for _ in range(_ROUNDS):
        w = np.repeat(np.sqrt(robust), 2)[:, None]
        change = np.linalg.lstsq(
            w * slopes.reshape(len(w), -1), w[:, 0] * target.ravel(), rcond=1e-7
        )[0]
        off = np.sqrt(((slopes @ change - target) ** 2).sum(axis=1))
        spread = 1.48 * float(np.median(off[weights > 0])) + 1e-9
        robust = weights / (1 + (off / (_WIDTH * spread)) ** 2) ** 2
    shrink = np.array(
        [[1 / scale, 0, -centre[0] / scale], [0, 1 / scale, -centre[1] / scale], [0, 0, 1]]
    )
    matrix = np.eye(3) + np.tensordot(change, basis(kind), 1)
    return Change(
        np.linalg.inv(shrink) @ matrix @ shrink,
        robust,
        kind,
        _covariance(slopes, slopes @ change - target, robust),
        shrink,
    )


def _covariance(slopes: FloatArray, off: FloatArray, weights: FloatArray) -> FloatArray:
    weighted = weights[:, None, None] * slopes
    inverse = np.linalg.pinv(np.einsum("nij,nik->jk", weighted, slopes), rcond=1e-12)
    g = np.einsum("nij,ni->nj", weighted, off)
    covariance: FloatArray = _SHARED * inverse @ (g.T @ g) @ inverse
    return covariance
