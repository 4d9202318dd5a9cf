"""The flow against others on one pair, interleaved: OpenCV, a sparse direct solve, the paper."""

from __future__ import annotations

from functools import partial

import numpy as np

import osmofuse
from benchmarks.pictures import face, one_band, puppets, three_bands
from benchmarks.timing import interleaved, rounds, spread
from osmofuse import gallery

AUTHORS_SECONDS = 617.0  # the puppets in the paper's own log
RUNS = 15
MANUSCRIPT = (775, 581)  # 0.45 MP
BANDS = {"map of one band": one_band, "map of three bands": three_bands}
CLONE = "seamlessClone"


def run() -> dict[str, float]:
    f, b, alpha = puppets()
    found = puppets_and_clone(f, b, alpha) | others(f, b)
    found |= interleaved({"sparse direct solve": lambda: sparse_solve(f, b, alpha)}, runs=1)
    slow = osmofuse.fuse(f, b, alpha, eta=0.5, solver="published", max_iter=5)
    found["published, an iteration of a channel"] = slow.seconds / len(slow.history)
    for name in BANDS:
        found[f"authors' 617 s / flow, {name}"] = AUTHORS_SECONDS / found[f"flow, {name}"]
    return found


def puppets_and_clone(f, b, alpha) -> dict[str, float]:
    """Return the seconds of the flow and of OpenCV, and their ratio, run by run."""
    jobs = flows("flow", f, b, alpha, eta=0.5)
    try:
        clone = {CLONE: seamless_clone(f, b, alpha)}
    except ImportError:
        print("no OpenCV: pip install opencv-python-headless")
        clone = {}
    seconds = rounds(jobs | clone, RUNS)
    found = {name: float(np.median(values)) for name, values in seconds.items()}
    for name in jobs if clone else ():
        found |= spread(f"{name} / {CLONE}", seconds[name] / seconds[CLONE])
    return found


def others(f, b) -> dict[str, float]:
    """Return the seconds of the flow on other pairs, and with one weight to a given reach."""
    scene = gallery.manuscript(MANUSCRIPT)
    jobs = flows("face", *face())
    jobs |= flows("manuscript", scene.foreground, scene.background, scene.alpha)
    jobs["puppets, alpha 0.5 at reach 30"] = partial(
        osmofuse.fuse, f, b, 0.5, reach=30.0, target="product"
    )
    return interleaved(jobs, RUNS)


def flows(title, f, b, alpha, **settings):
    """Return the flow with a map of one band and of three."""
    return {
        f"{title}, {name}": partial(
            osmofuse.fuse, f, b, as_bands(alpha), target="product", **settings
        )
        for name, as_bands in BANDS.items()
    }


def seamless_clone(f, b, alpha):
    """OpenCV's clone of f into b where alpha is above a half, at its place."""
    import cv2

    mask = np.where(alpha.reshape(*alpha.shape[:2], -1)[..., 0] > 127, 255, 0).astype(np.uint8)
    mask[[0, -1]] = 0
    mask[:, [0, -1]] = 0
    left, top, wide, tall = cv2.boundingRect(mask)
    centre = (left + wide // 2, top + tall // 2)
    return lambda: cv2.seamlessClone(f, b, mask, centre, cv2.NORMAL_CLONE)


def sparse_solve(f, b, alpha):
    """One implicit step of one channel by a sparse direct solve, as scripts would do it."""
    from scipy.sparse import coo_array, diags_array
    from scipy.sparse.linalg import spsolve

    plane = alpha.reshape(*alpha.shape[:2], -1)[..., 0] / 255.0
    u, v = f[..., 0] / 255.0 + 1, b[..., 0] / 255.0 + 1
    index = np.arange(u.size).reshape(u.shape)
    ends = [(index[1:], index[:-1]), (index[:, 1:], index[:, :-1])]
    i, j = (np.concatenate([pair[k].ravel() for pair in ends]) for k in (0, 1))
    m = 2 * v.flat[i] * v.flat[j] / (v.flat[i] + v.flat[j])
    rows, cols = np.concatenate([i, j, i, j]), np.concatenate([i, j, j, i])
    laplace = coo_array((np.concatenate([m, m, -m, -m]), (rows, cols)), shape=(u.size, u.size))
    matrix = laplace + diags_array(((0.1 + plane) * v * v).ravel())
    return spsolve(matrix.tocsc(), (0.1 * u * v).ravel())
