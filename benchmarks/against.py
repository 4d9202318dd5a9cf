"""The flow against others on one pair, interleaved: OpenCV, a sparse direct solve, the paper."""

from __future__ import annotations

import numpy as np

import osmofuse
from benchmarks.pictures import puppets
from benchmarks.timing import interleaved

AUTHORS_SECONDS = 617.0  # the puppets in the paper's own log


def run() -> dict[str, float]:
    f, b, alpha = puppets()
    jobs = {"flow": lambda: osmofuse.fuse(f, b, alpha, eta=0.5, target="product")}
    try:
        jobs["seamlessClone"] = seamless_clone(f, b, alpha)
    except ImportError:
        print("no OpenCV: pip install opencv-python-headless")
    found = interleaved(jobs, runs=9)
    found |= interleaved({"sparse direct solve": lambda: sparse_solve(f, b, alpha)}, runs=1)
    slow = osmofuse.fuse(f, b, alpha, eta=0.5, solver="published", max_iter=5)
    found["published, an iteration of a channel"] = slow.seconds / len(slow.history)
    if "seamlessClone" in found:
        found["flow / seamlessClone"] = found["flow"] / found["seamlessClone"]
    found["authors' 617 s / flow"] = AUTHORS_SECONDS / found["flow"]
    return found


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
