r"""From pictures to the joint model: its terms and its start in every channel.

All pictures carry the offset. With sources :math:`s_0 = f, s_1, \dots` and weights
:math:`\alpha_k` that sum to 1, the target of the structure is
:math:`w = \prod_k s_k^{\alpha_k}`; with two sources, :math:`f^\alpha b^{1-\alpha}`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from osmofuse.checks import choice
from osmofuse.energies import Edges, HuberTV, JointModel, Quadratic, Tikhonov
from osmofuse.energies.model import Smooth
from osmofuse.errors import InputError, MismatchError
from osmofuse.kernels import kernel, prange
from osmofuse.methods.contract import Sources
from osmofuse.methods.layers import chromatic_mean
from osmofuse.methods.spectral_target import with_coarse_of_first
from osmofuse.typing import ArrayLike, FloatArray

if TYPE_CHECKING:
    from osmofuse.methods.variational import VariationalOsmosis


Problem: TypeAlias = tuple[JointModel, FloatArray, FloatArray]


@dataclass(frozen=True, eq=False)
class Planes:
    """A channel of the pictures, offset included: f, alpha, the target w and u to start from."""

    f: FloatArray
    alpha: FloatArray
    w: FloatArray
    u: FloatArray


@dataclass(frozen=True, eq=False)
class Stack:
    """A channel of the pictures, offset included: the foreground, then each background.

    With the weight of each at every pixel; they sum to 1. The planes of the backgrounds serve
    every channel in turn.
    """

    images: list[FloatArray]
    weights: list[FloatArray]


def stacks_of(
    sources: Sources,
    *,
    offset: float,
    band: str,
    dtype: type,
    room: Callable[[], FloatArray] | None = None,
) -> Iterator[Stack]:
    """Yield the pictures and their weights in each channel.

    Parameters
    ----------
    sources : Sources
        The pictures.
    offset : float
        Added to all of them.
    band : {"keep", "repeat"}
        Whether a background of one band takes the foreground's chromaticity.
    dtype : type
        float32 or float64.
    room : callable, optional
        Gives a new plane to be filled, where it is not to be an array of its own.

    Raises
    ------
    InputError
        Without an offset, a sample is not positive.
    """
    room = room or (lambda: np.empty(sources.shape, dtype))
    mean = _chromatic_mean(sources, offset, band, dtype)
    spare: list[FloatArray] = [np.empty(sources.shape, dtype) for _ in range(2 * sources.count - 2)]
    for c in range(sources.channels):
        images = [room(), *spare[: sources.count - 1]]
        alphas = [room(), *spare[sources.count - 1 :]]
        for k, (image, alpha) in enumerate(zip(images, alphas, strict=True)):
            sources.image(k, c, dtype, image)
            np.add(image, dtype(offset), out=image)
            if k == 1 and sources.count == 2:
                np.subtract(dtype(1.0), alphas[0], out=alpha)
            else:
                sources.weight(k, c, dtype, alpha)
        check_positive(images, sources, offset)
        for k in range(1, sources.count):
            if mean is not None and sources.is_one_band(k):
                images[k] *= images[0] / mean
        yield Stack(images, alphas)


def planes_of(
    sources: Sources,
    settings: VariationalOsmosis,
    dtype: type,
    room: Callable[[], FloatArray] | None = None,
) -> Iterator[Planes]:
    """Yield the planes of each channel; settings say the offset, the start, the band and w.

    The rest is as for `stacks_of`.
    """
    layers = stacks_of(sources, offset=settings.offset, band=settings.band, dtype=dtype, room=room)
    for layer in layers:
        if settings.target == "spectral":
            w = target_of(Stack(with_coarse_of_first(layer.images), layer.weights), room)
        else:
            w = target_of(layer, room)
        u = _start(layer.images, layer.weights, settings)
        yield Planes(layer.images[0], layer.weights[0], w, u)


def target_of(layers: Stack, room: Callable[[], FloatArray] | None = None) -> FloatArray:
    """Return the target of the structure, the product of all pictures to their weights."""
    w = room() if room else np.empty_like(layers.images[0])
    w.fill(1.0)
    for image, alpha in zip(layers.images, layers.weights, strict=True):
        multiply_power(w, image, alpha)
    return w


def problems(sources: Sources, settings: VariationalOsmosis) -> Iterator[Problem]:
    """Yield the energy and the start (u, v) of each channel in float64."""
    for p in planes_of(sources, settings, np.float64):
        fidelity = Quadratic(_fidelity_weight(p.alpha, settings.gamma), p.f)
        model = JointModel(Quadratic(settings.mu, p.w), fidelity, _regulariser(settings))
        yield model, p.u, p.w


@kernel
def multiply_power(w: FloatArray, image: FloatArray, alpha: FloatArray) -> None:
    """Multiply w by image^alpha; most maps are mostly 0 and 1, where no power is needed."""
    rows, cols = w.shape
    for i in prange(rows):
        for j in range(cols):
            a = alpha[i, j]
            if a == 1.0:
                w[i, j] *= image[i, j]
            elif a != 0.0:
                w[i, j] *= image[i, j] ** a


@kernel
def store(picture: FloatArray, plane: FloatArray, offset: Any, channel: int) -> None:
    """Put a plane without its offset into a channel of a picture."""
    rows, cols, _ = picture.shape
    for i in prange(rows):
        for j in range(cols):
            picture[i, j, channel] = plane[i, j] - offset


def picture_of(
    planes: list[FloatArray], sources: Sources, settings: VariationalOsmosis, *, held: bool = False
) -> FloatArray:
    """Return planes as a picture without the offset.

    With `held`, the foreground's own bits where an infinite gamma holds it.
    """
    picture: FloatArray = np.empty((*sources.shape, sources.channels), sources.dtype)
    for c, plane in enumerate(planes):
        store(picture, plane, plane.dtype.type(settings.offset), c)
        if held and math.isinf(settings.gamma):
            kept = sources.weight(0, c, np.float64) == 1.0
            picture[kept, c] = sources.image(0, c, sources.dtype)[kept]
    return picture.reshape(sources.foreground.shape)


def _chromatic_mean(sources: Sources, offset: float, band: str, dtype: type) -> FloatArray | None:
    """Return the geometric mean of the foreground's channels, where a band needs it."""
    bands = (sources.is_one_band(k) for k in range(1, sources.count))
    if band != "keep" or not any(bands):
        return None
    return chromatic_mean(sources, offset, dtype)


def check_positive(images: list[FloatArray], sources: Sources, offset: float) -> None:
    """Refuse samples of 0 in the planes of a channel, where no offset is added to them."""
    if offset > 0:  # samples are not negative
        return
    names = ["foreground", "background"]
    for name, image in zip(names + names[1:] * len(images), images, strict=False):
        seen = image if sources.valid is None or name == "foreground" else image[sources.valid]
        if not float(seen.min(initial=1.0)) > 0:
            raise InputError(
                f"{name}: samples of 0 with offset {offset:g}; use a positive offset, e.g. 1"
            )


def _start(
    images: list[FloatArray], alphas: list[FloatArray], settings: VariationalOsmosis
) -> FloatArray:
    """Return u to start from: f itself, or a plane of its own."""
    f, alpha = images[0], alphas[0]
    if settings.start == "foreground":
        return f
    if settings.start == "means":
        images = [_mean(image, alpha) for image, alpha in zip(images, alphas, strict=True)]
    u = np.sum([a * image for image, a in zip(images, alphas, strict=True)], axis=0)
    return np.where(alpha == 1.0, f, u) if math.isinf(settings.gamma) else np.asarray(u)


def _mean(image: FloatArray, alpha: FloatArray) -> FloatArray:
    """Return the alpha-weighted mean of a plane; it is not asked for where alpha is 0."""
    total = float(alpha.sum(dtype=np.float64))
    mean = float(np.sum(alpha * image, dtype=np.float64)) / total if total > 0 else 0.0
    return np.asarray(mean, image.dtype)


def _fidelity_weight(alpha: FloatArray, gamma: float) -> FloatArray:
    return np.where(alpha == 1.0, math.inf, 0.0) if math.isinf(gamma) else gamma * alpha


def _regulariser(settings: VariationalOsmosis) -> HuberTV | Smooth | None:
    if settings.regulariser is None or settings.eta == 0:
        return None
    if settings.regulariser == "tikhonov":
        return Tikhonov(settings.eta)
    return HuberTV(settings.eta, settings.epsilon if settings.regulariser == "huber" else 0.0)


def energy(
    u: ArrayLike,
    v: ArrayLike,
    sources: Sources,
    settings: VariationalOsmosis,
    *,
    edges: Edges = "harmonic",
) -> FloatArray:
    """Return the energy of a fused picture and its structure, one number for each channel.

    Parameters
    ----------
    u, v : array
        `Fusion.image` and `Fusion.structure`: white at 1.0, without the offset.
    sources : Sources
        The pictures they were made from.
    settings : VariationalOsmosis
        The weights and the offset.
    edges : {"harmonic", "forward"}
        The discretisation: the model's, or that of the paper's experiments.
    """
    choice("edges", edges, ("harmonic", "forward"))
    planes = [_planes(x, sources, name) + settings.offset for x, name in ((u, "u"), (v, "v"))]
    return np.array(
        [
            sum(model.terms(planes[0][c].copy(), planes[1][c].copy(), edges).values())
            for c, (model, _, _) in enumerate(problems(sources, settings))
        ]
    )


def _planes(x: ArrayLike, sources: Sources, name: str) -> FloatArray:
    """Return a picture as float64 (channels, rows, cols)."""
    array = np.asarray(x, np.float64)
    if array.shape != sources.foreground.shape:
        raise MismatchError(
            f"{name}: shape {array.shape}; must be that of foreground, {sources.foreground.shape}"
        )
    return np.moveaxis(array.reshape(*sources.shape, sources.channels), -1, 0)
