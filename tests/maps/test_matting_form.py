from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import random_array

from osmofuse.maps import matting_form as module
from osmofuse.maps.matting_form import MattingForm


@pytest.fixture
def form(rng):
    """Return a form on 5 by 5 pixels of which some are known, in a frame."""
    wanted = rng.random((5, 5)) < 0.8
    framed = np.pad(wanted, ((0, 1), (1, 1)))
    number = np.where(framed, np.cumsum(framed).reshape(framed.shape) - 1, 0).astype(np.int32)
    places = np.flatnonzero(framed).astype(np.int32)
    steps = np.array([1, 7, 8] * 4)
    count = len(places)
    lines = rng.standard_normal((count, 12)) * framed.ravel()[places[:, None] + steps]
    # Distinct neighbours, none a pixel itself.
    orders = [rng.permutation(count - 1)[:12] + 1 for _ in range(count)]
    near = ((np.arange(count)[:, None] + orders) % count).astype(np.int32)
    ties = rng.integers(0, 1000, (count, 12)).astype(np.uint16)
    mixtures = np.float32(rng.random((count, 10)))
    return MattingForm(
        number,
        places,
        steps,
        np.float32(lines),
        near,
        ties,
        mixtures,
        rng.random(count),
        1e-3,
        0.3,
    )


def dense(form):
    """Return the matrix of the formula."""
    unit = np.eye(len(form.ends))
    total = np.diag(form.ends)
    for i in range(len(unit)):
        stepped = form.number.ravel()[form.places[i] + form.steps]
        for weights, ends in ((form.lines[i], stepped), (form.tie * form.ties[i], form.near[i])):
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
