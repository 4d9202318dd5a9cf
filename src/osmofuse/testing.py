"""Checks of operators, gradients and proximal maps, for built-in terms and your own.

Each raises ``AssertionError`` with the numbers if a law does not hold.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

import numpy as np

from osmofuse.typing import FloatArray

__all__ = ["check_adjoint", "check_gradient", "check_prox"]


class Operator(Protocol):
    """Linear map with its adjoint and a bound of its norm."""

    def __call__(self, x: FloatArray, /) -> FloatArray:
        """Apply it."""
        ...

    def adjoint(self, y: FloatArray, /) -> FloatArray:
        """Apply its adjoint."""
        ...

    @property
    def norm_bound(self) -> float:
        """Upper bound of its norm."""
        ...


def check_adjoint(
    operator: Operator, shape: tuple[int, ...], *, rtol: float = 1e-12, seed: int = 0
) -> float:
    r"""Check that :math:`\langle K x, y\rangle = \langle x, K^* y\rangle` and the norm bound.

    Parameters
    ----------
    operator : Operator
        :math:`K`.
    shape : tuple of int
        Shape of x.
    rtol : float
        Allowed error relative to :math:`\|K\| \|x\| \|y\|`.
    seed : int
        Seed of the random x and y.

    Returns
    -------
    float
        The error found.
    """
    rng = np.random.default_rng(seed)
    x = rng.standard_normal(shape)
    kx = operator(x)
    y = rng.standard_normal(kx.shape)
    bound = operator.norm_bound
    size = max(bound * float(np.linalg.norm(x) * np.linalg.norm(y)), np.finfo(float).tiny)
    error = abs(float(np.vdot(kx, y) - np.vdot(x, operator.adjoint(y)))) / size
    assert error <= rtol, f"adjoint: error {error:.3g} exceeds {rtol:.3g}"
    norm = _norm(operator, x)
    assert norm <= bound * (1 + 1e-9), f"norm {norm:.6g} exceeds its bound {bound:.6g}"
    return error


def _norm(operator: Operator, x: FloatArray, steps: int = 30) -> float:
    """Return a lower bound of the norm, by power iteration."""
    norm = 0.0
    for _ in range(steps):
        size = float(np.linalg.norm(x))
        if size == 0.0:
            break
        kx = operator(x / size)
        norm, x = float(np.linalg.norm(kx)), operator.adjoint(kx)
    return norm


def check_gradient(
    value: Callable[[FloatArray], float],
    gradient: Callable[[FloatArray], FloatArray],
    x: FloatArray,
    *,
    tolerance: float = 0.05,
    size: float = 1e-2,
    seed: int = 0,
) -> float:
    r"""Check a gradient by Taylor's theorem.

    The remainder :math:`|e(x + t h) - e(x) - t \langle \nabla e(x), h\rangle|` must fall with
    slope 2 in t.

    Parameters
    ----------
    value, gradient : callable
        :math:`e` and :math:`\nabla e`.
    x : array
        The point; around it the function must be smooth and not linear.
    tolerance : float
        Allowed difference of the slope from 2.
    size : float
        The largest t; h is a random direction with standard normal entries.
    seed : int
        Seed of the direction.

    Returns
    -------
    float
        The slope.
    """
    h = np.random.default_rng(seed).standard_normal(x.shape)
    e, slope = value(x), float(np.vdot(gradient(x), h))
    steps = size * 2.0 ** -np.arange(6)
    remainders = np.array([abs(value(x + t * h) - e - t * slope) for t in steps])
    assert remainders[0] > 0, "gradient: no curvature along the direction; choose another x"
    found = float(np.polyfit(np.log(steps), np.log(np.maximum(remainders, 1e-300)), 1)[0])
    assert abs(found - 2.0) <= tolerance, f"gradient: Taylor slope {found:.4f}, not 2"
    return found


def check_prox(
    value: Callable[[FloatArray], float],
    prox: Callable[[FloatArray, float], FloatArray],
    x: FloatArray,
    tau: float,
    *,
    tolerance: float = 1e-6,
    seed: int = 0,
) -> float:
    r"""Check a proximal map of a convex function e against minimisation and optimality.

    :math:`p = \operatorname{prox}_{\tau e}(x)` must not be beaten at
    :math:`e(p) + |p - x|^2/2\tau` by a derivative-free minimiser, and must satisfy the
    subgradient inequality :math:`e(z) \ge e(p) + \langle (x - p)/\tau, z - p\rangle` for
    points z near and far.

    Parameters
    ----------
    value, prox : callable
        :math:`e` and its proximal map of a point and a step.
    x : array
        The point; small, since the minimiser works coordinate by coordinate.
    tau : float
        The step.
    tolerance : float
        Allowed excess in both tests, relative to 1 + \|e(p)\|.
    seed : int
        Seed of the points z and the minimiser's starts.

    Returns
    -------
    float
        The largest excess found.
    """
    from scipy.optimize import minimize

    rng = np.random.default_rng(seed)
    p = prox(x, tau)
    assert np.isfinite(value(p)), f"prox: the function is {value(p)} at the point it gives"

    def objective(z: FloatArray) -> float:
        z = z.reshape(x.shape)
        return value(z) + float(np.sum((z - x) ** 2)) / (2.0 * tau)

    excess = [0.0]
    starts = (p, x, x + rng.standard_normal(x.shape))
    for start in starts:
        with np.errstate(invalid="ignore"):  # the function may be infinite somewhere
            found = minimize(objective, start.ravel(), method="Powell", options={"ftol": 1e-12})
        excess.append(objective(p) - float(found.fun))
    for size in 10.0 ** -np.arange(7):
        z = p + size * rng.standard_normal(x.shape)
        excess.append(value(p) + float(np.vdot(x - p, z - p)) / tau - value(z))
    worst = max(excess) / (1.0 + abs(value(p)))
    assert worst <= tolerance, f"prox: beaten by {worst:.3g}, more than {tolerance:.3g}"
    return worst
