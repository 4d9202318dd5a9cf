r"""Object within a rough mask, separated from the ground around it.

The ground is known outside the mask. Its lightness and two colour differences, on the scale
:math:`\log(x + 0.05)`, are continued into the mask as smooth planes :math:`g_k`, and so are their
variances :math:`\sigma_k^2`. The unlikeness of a pixel is

.. math:: d^2 = \operatorname{mean}_k \frac{(y_k - g_k)^2}{\sigma_k^2 + \kappa_k^2},

and a pixel is ground if it is like it *and* connected to the ground outside by a path a few pixels
wide: a spot of an object that looks like ground stays part of it. At the rim a pixel is a mixture
:math:`b = p F + (1 - p) G` of the colours near it on both sides.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace

import numpy as np

from osmofuse.filters import enlarged, gaussian, reduced
from osmofuse.linalg.integral import Integral
from osmofuse.typing import BoolArray, FloatArray

OFFSET = 0.05  # of the logarithm: noise of black counts little
RING = 0.1  # width of the known ground, and of the rim, in sides of the mask; 0.07..0.15 works
LEAST_RING, FEWEST = 6.0, 50  # pixels: its width, and how many must be known
GAP = 2.0  # pixels beside the mask that are not taken for ground: it may cut the object; 1..4 works
# Kappa of lightness and of colour: smaller differences do not count. 0.08..0.12, 0.05..0.08 work.
LIGHTNESS, COLOUR = 0.10, 0.06
LIKE, UNLIKE = 1.5, 3.0  # unlikeness of ground, and of anything else, in deviations
SPECK = 2e-3  # share of the mask's area; smaller parts of the object are dropped
OPENING = 2  # pixels: half the width of a path that connects
MIXED = 2  # pixels on each side of the rim that may be mixtures
NEAR, FAR = 3.0, 12.0  # pixels: where colours of the two sides are looked for
CONTRAST = 0.02  # squared difference of the sides below which mixtures cannot be measured
LEAST_SHARE = 0.3  # of the object in a pixel whose colour can be found
PIXELS = 40_000  # of the reduced copies on which the ground is continued: it is smooth
CYCLES = 8  # V-cycles, from the mean


@dataclass(frozen=True, eq=False)
class OwnGround:
    """Object and ground within a mask.

    Attributes
    ----------
    opacity : array, (rows, cols)
        Share of the object in each pixel, from 0 to 1; within the mask only.
    colours : array, (rows, cols, channels)
        The picture, without the ground where it is mixed with the object.
    ring : array of bool, (rows, cols)
        Ground around the mask.
    like_rim, ground, ground_inside : float
        Likeness of the mask's rim to the ground; share of ground in the mask, and in its depth.
    """

    opacity: FloatArray = field(repr=False)
    colours: FloatArray = field(repr=False)
    ring: BoolArray = field(repr=False)
    like_rim: float
    ground: float
    ground_inside: float


def own_ground(image: FloatArray, mask: FloatArray, known: BoolArray) -> OwnGround | None:
    """Separate an object from its ground.

    Parameters
    ----------
    image : array, (rows, cols, channels)
        Picture of the object, white at 1.
    mask : array, (rows, cols)
        1 on the object and a little of the ground around it.
    known : array of bool, (rows, cols)
        False where the picture has no data.

    Returns
    -------
    OwnGround or None
        None if no ground is known around the mask.
    """
    if not (mask >= 0.5).any():
        return None
    box = _box(mask)
    found = _within_box(image[box], mask[box], known[box])
    if found is None or found.ring.shape == mask.shape:
        return found
    opacity, ring, colours = np.zeros_like(mask), np.zeros_like(known), image.copy()
    opacity[box], ring[box], colours[box] = found.opacity, found.ring, found.colours
    return replace(found, opacity=opacity, ring=ring, colours=colours)


def _box(mask: FloatArray) -> tuple[slice, slice]:
    """Return the box of a mask, with all of its surroundings that matter."""
    side = math.sqrt(np.count_nonzero(mask >= 0.5))
    margin = math.ceil(GAP + max(RING * side, LEAST_RING) + 2 * FAR)
    rows, cols = (np.flatnonzero((mask > 0.0).any(axis=axis)) for axis in (1, 0))
    top, left = max(int(rows[0]) - margin, 0), max(int(cols[0]) - margin, 0)
    return slice(top, int(rows[-1]) + 1 + margin), slice(left, int(cols[-1]) + 1 + margin)


def _within_box(image: FloatArray, mask: FloatArray, known: BoolArray) -> OwnGround | None:
    """Separate an object from its ground, in the box of its mask."""
    from scipy.ndimage import distance_transform_edt

    chosen = mask >= 0.5
    side = math.sqrt(np.count_nonzero(chosen))
    width = max(RING * side, LEAST_RING)
    outside = (mask < 0.02) & known
    if not outside.any():
        return None
    away = distance_transform_edt(mask < 0.02)
    ring = outside & (away > GAP) & (away <= GAP + width)
    if np.count_nonzero(ring) < FEWEST:
        ring = outside & (away <= width)
    if np.count_nonzero(ring) < FEWEST:
        return None
    like = _likeness(image, ring, width)
    depth = distance_transform_edt(chosen)
    part = _joined(like, chosen, depth, SPECK * side**2)
    deep = chosen & (depth > max(width, 0.5 * float(depth.max())))
    rim = chosen & (depth <= max(3.0, 0.3 * width))
    opacity, colours = _mixtures(image, part)
    return OwnGround(
        opacity=opacity * chosen,
        colours=colours,
        ring=ring,
        like_rim=float(like[rim].mean()),
        ground=1.0 - float(part[chosen].mean()),
        ground_inside=1.0 - float(part[deep].mean()) if deep.any() else 1.0,
    )


def opponent(y: FloatArray) -> FloatArray:
    """Return the mean of the channels and, of three, two differences of colours."""
    mean = y.mean(axis=-1)
    if y.shape[-1] < 3:
        return np.asarray(mean[..., None])
    red, green, blue = y[..., 0], y[..., 1], y[..., 2]
    return np.stack([mean, red - green, blue - 0.5 * (red + green)], axis=-1)


def continued(values: FloatArray, weight: FloatArray, width: float) -> FloatArray:
    """Continue planes (rows, cols, k) smoothly to where their weight is 0.

    They follow the values over some `width` pixels where the weight is 1.
    """
    shape = (values.shape[0], values.shape[1])
    factor = max(1, math.ceil(math.sqrt(weight.size / PIXELS)))
    mass = reduced(weight.astype(np.float32), factor)
    small = reduced((values * weight[..., None]).astype(np.float32), factor)
    small /= np.maximum(mass, 1e-6)[..., None]
    mean = (small * mass[..., None]).sum(axis=(0, 1)) / mass.sum()
    tie = np.asarray(mass * np.float32(4.0 * (factor / width) ** 2) + np.float32(1e-7))
    integral = Integral((mass.shape[0], mass.shape[1]))
    for k in range(small.shape[2]):
        integral.set_target(tie, np.where(mass > 0.0, small[..., k] - mean[k], 0.0))
        integral.set_start(0.0)
        small[..., k] = integral.cycle(CYCLES) + mean[k]
    return enlarged(small, factor, shape)


def _likeness(image: FloatArray, ring: BoolArray, width: float) -> FloatArray:
    """Return 1 where a picture is like its ground, 0 where it is not."""
    y = opponent(np.log(np.maximum(image, 0.0) + OFFSET).astype(np.float32))
    weight = ring.astype(np.float32)
    off = np.square(y - continued(y, weight, width))
    floor = np.array([LIGHTNESS, COLOUR, COLOUR], np.float32)[: y.shape[-1]] ** 2
    scale = np.maximum(continued(off, weight, width), 0.0) + floor
    unlike = np.sqrt((off / scale).mean(axis=-1))
    return gaussian(np.clip((UNLIKE - unlike) / (UNLIKE - LIKE), 0.0, 1.0), 0.7)


def _joined(like: FloatArray, chosen: BoolArray, depth: FloatArray, speck: float) -> BoolArray:
    """Return the object: what is chosen, and not ground that is joined to that outside."""
    from scipy.ndimage import binary_dilation, binary_opening, label

    may = (like > 0.5) | ~chosen
    row, col = np.ogrid[-OPENING : OPENING + 1, -OPENING : OPENING + 1]
    way = binary_opening(np.pad(may, OPENING, mode="edge"), row**2 + col**2 <= OPENING**2)
    way = way[OPENING:-OPENING, OPENING:-OPENING]
    parts, _ = label(way)
    begin = np.unique(parts[way & (depth <= OPENING)])
    ground = binary_dilation(np.isin(parts, begin[begin > 0]), iterations=OPENING) & may
    parts, count = label(chosen & ~ground)
    sizes = np.bincount(parts.ravel(), minlength=count + 1)
    sizes[0] = 0
    return np.asarray(sizes[parts] >= max(speck, 1.0))


def _mixtures(image: FloatArray, part: BoolArray) -> tuple[FloatArray, FloatArray]:
    """Return the share of the object in each pixel, and the colours without the ground."""
    from scipy.ndimage import binary_dilation, binary_erosion

    core = binary_erosion(part, iterations=MIXED, border_value=1)
    clear = ~binary_dilation(part, iterations=MIXED)
    inner, has_inner = _near(image, core)
    outer, has_outer = _near(image, clear)
    apart = inner - outer
    square = (apart**2).sum(axis=-1)
    rim = ~core & ~clear & has_inner & has_outer
    mixed = np.clip(((image - outer) * apart).sum(axis=-1) / np.maximum(square, 1e-6), 0.0, 1.0)
    told = np.where(square > CONTRAST, mixed, gaussian(part.astype(np.float32), 1.0))
    share = np.where(rim, told, part).astype(np.float32)
    p = share[..., None]
    pure = (image - (1.0 - p) * outer) / np.maximum(p, LEAST_SHARE)
    pure = np.clip(pure, np.minimum(inner, image), np.maximum(inner, image))
    return share, np.where((rim & (share < 1.0))[..., None], pure, image)


def _near(image: FloatArray, chosen: BoolArray) -> tuple[FloatArray, BoolArray]:
    """Return the mean colours of the chosen pixels near each, and True where there are any."""
    weight = chosen.astype(np.float32)
    colours, total = np.zeros_like(image), np.zeros_like(weight)
    for sigma, trust in ((NEAR, 1.0), (FAR, 0.01)):
        total += trust * gaussian(weight, sigma)
        colours += trust * gaussian(image * weight[..., None], sigma)
    has = total > 1e-6
    return colours / np.where(has, total, 1.0)[..., None], has
