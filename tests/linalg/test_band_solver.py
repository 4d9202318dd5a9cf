"""The block of a matrix with links is solved exactly, and nothing else changes."""

import numpy as np
import pytest
from scipy.ndimage import binary_dilation

from osmofuse.linalg import FREE, HELD, Transport, band_solver, inside, padded
from osmofuse.linalg.band_solver import BandSolver
from osmofuse.linalg.components import Components
from osmofuse.linalg.link_transport import LinkTransport
from osmofuse.operators import LatticeOsmosis
from registry import tensors


@pytest.mark.parametrize("kinds", [(FREE,), (FREE, HELD)], ids=["free", "held"])
@pytest.mark.parametrize("shape", [(3, 4), (13, 12)], ids=str)
def test_the_residual_is_zero_on_the_block(shape, kinds, rng, monkeypatch):
    monkeypatch.setattr(band_solver, "OVERLAP", 1)
    W = np.zeros((3, *shape))
    W[0] = W[2] = 1.0
    W[:, 2] = tensors(shape, rng)[:, 2]
    kind = rng.choice(kinds, shape, p=(1.0,) if len(kinds) == 1 else (0.8, 0.2)).astype(np.uint8)
    kind[1:4, 1] = FREE
    A = LatticeOsmosis.canonical(rng.uniform(0.1, 1, shape), W)
    links = LinkTransport(A.links, kind, Components(kind).labels)
    matrix = Transport.empty(shape, links)
    w = padded(rng.uniform(0.1, 1, shape), np.float64)
    matrix.fill(A.edges.drift, w, kind, 0.2, A.edges.weight)
    r = padded(rng.random(shape) * (kind == FREE), np.float64)
    x = padded(rng.random(shape) * (kind == FREE), np.float64)
    before = x.copy()
    BandSolver(matrix, links).correct(x, r)
    block = np.zeros(shape, bool)
    block.ravel()[A.links.pixel] = True
    block = binary_dilation(block)
    rest = inside(r - matrix(x), shape)
    assert np.abs(rest[block & (kind == FREE)]).max() < 1e-12
    changed = inside(x != before, shape)
    assert changed.any()
    assert not changed[~(block & (kind == FREE))].any()
