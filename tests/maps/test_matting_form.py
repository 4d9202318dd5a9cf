from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import random_array

from osmofuse.maps import matting_form as module
from osmofuse.maps.matting_form import MattingForm


@pytest.fixture
def form(rng):
    """Return a form on 4 by 5 pixels of which some are known, in a frame."""
    wanted = rng.random((4, 5)) < 0.8
    framed = np.pad(wanted, ((0, 1), (1, 1)))
    number = np.where(framed, np.cumsum(framed).reshape(framed.shape) - 1, 0).astype(np.int32)
    places = np.flatnonzero(framed).astype(np.int32)
    steps = np.array([1, 6, 7])
    count = len(places)
    lines = rng.standard_normal((count, 3)) * framed.ravel()[places[:, None] + steps]
    near = rng.integers(0, count, (count, 4)).astype(np.int32)
    ties, mixtures = rng.random((count, 4)), rng.random((count, 3))
    weights = (np.float32(x) for x in (ties, mixtures))
    return MattingForm(
        number, places, steps, np.float32(lines), near, *weights, rng.random(count), 0.3
    )


def dense(form):
    """Return the matrix of the formula."""
    unit = np.eye(len(form.ends))
    total = np.diag(form.ends)
    for i in range(len(unit)):
        stepped = form.number.ravel()[form.places[i] + form.steps]
        for weights, ends in ((form.lines[i], stepped), (form.ties[i], form.near[i])):
            for weight, j in zip(weights, ends, strict=True):
                total += float(weight) * np.outer(unit[i] - unit[j], unit[i] - unit[j])
        misfit = unit[i].copy()
        for weight, j in zip(form.mixtures[i], form.near[i], strict=False):
            misfit -= float(weight) * unit[j]
        total += form.mixing * np.outer(misfit, misfit)
    return total


def test_the_product_is_that_of_the_formula(form):
    expected = dense(form)
    found = np.stack([form @ x for x in np.eye(len(expected))], axis=1)
    np.testing.assert_allclose(found, expected, atol=1e-12)


def test_the_diagonal_is_that_of_the_formula(form):
    # A pixel that is its own neighbour weighs in twice: mixtures lead elsewhere.
    own = np.arange(len(form.near))[:, None] == form.near
    np.copyto(form.near, (form.near + own) % len(form.near))
    for i, row in enumerate(form.near):
        row[:] = [(i + 1 + k) % len(form.near) for k in range(len(row))]
    np.testing.assert_allclose(form.diagonal(), dense(form).diagonal(), atol=1e-6)


def test_the_projection_is_that_of_the_formula(form, monkeypatch, rng):
    space = random_array((len(form.ends), 5), density=0.5, rng=rng).tocsr()
    expected = space.T @ dense(form) @ space.toarray()
    np.testing.assert_allclose(form.projected(space).toarray(), expected, atol=1e-6)
    monkeypatch.setattr(module, "PIXELS_AT_ONCE", 4)
    np.testing.assert_allclose(form.projected(space).toarray(), expected, atol=1e-6)


def test_threads_do_not_change_the_product(form, rng):
    import numba

    x = rng.random(len(form.ends))
    before = numba.get_num_threads()
    found = form @ x
    numba.set_num_threads(1)
    try:
        assert np.array_equal(form @ x, found)
    finally:
        numba.set_num_threads(before)
