"""Isolated components of free pixels: detection, and their mass restored or removed."""

import numpy as np
import pytest

from osmofuse.linalg import CLOSED, FREE, HELD
from osmofuse.linalg.components import Components


def kinds(*rows):
    """Kinds from a drawing: a dot is free, H held, a space closed."""
    letters = {".": FREE, "H": HELD, " ": CLOSED}
    return np.array([[letters[c] for c in row] for row in rows], np.uint8)


def test_a_picture_that_is_all_free_is_one_piece():
    components = Components(kinds("...", "..."))
    assert components.count == 1
    assert (components.labels == 1).all()


def test_components_are_joined_along_edges_not_corners():
    components = Components(kinds(". .", " . ", "..."))
    assert components.count == 3
    np.testing.assert_array_equal(components.labels > 0, kinds(". .", " . ", "...") == FREE)


TOUCHED = [
    (".. ..", "H. ..", " .. ."),
    (".H ..", ".. ..", ".. .."),
    ("... .", "..H .", " .. ."),
    ("... .", ".. ..", "H.  ."),
]


@pytest.mark.parametrize("rows", TOUCHED)
def test_a_piece_that_touches_a_held_pixel_does_not_count(rows):
    components = Components(kinds(*rows))
    assert components.count == 1
    assert components.labels[0, 0] == 0
    assert components.labels[0, 4] == 1


@pytest.mark.parametrize(
    "rows", [("H. .",), (".H .",), ("H  ", ".  ", "  ."), (".  ", "H  ", "  .")]
)
def test_a_held_neighbour_counts_in_each_direction(rows):
    components = Components(kinds(*rows))
    assert components.count == 1
    assert components.labels[-1, -1] == 1


def test_a_held_pixel_at_a_corner_is_not_touched():
    assert Components(kinds("..", " H")).count == 0
    assert Components(kinds(". ", " H")).count == 1


@pytest.mark.parametrize("rows", [("...", "..."), (". .", "H .", "..."), ("HHH", " ..")])
def test_mass_is_restored_in_each_piece_and_nothing_else_changes(rows, rng):
    kind = kinds(*rows)
    components = Components(kind)
    u, x = rng.random((2, *kind.shape))
    found = components.with_mass_of(u, x)
    for k in range(1, components.count + 1):
        here = components.labels == k
        assert found[here].sum() == pytest.approx(u[here].sum(), rel=1e-14)
        np.testing.assert_allclose(found[here] / x[here], (found[here] / x[here])[0])
    np.testing.assert_array_equal(found[components.labels == 0], x[components.labels == 0])


def test_a_black_piece_stays_black():
    components = Components(kinds(". .", "  ."))
    zero = np.zeros((2, 3))
    np.testing.assert_array_equal(components.with_mass_of(zero, zero), zero)


@pytest.mark.parametrize("rows", [("...", "..."), (". .", "H .", "..."), ("HHH", " ..")])
def test_mass_is_taken_off_each_piece_and_nothing_else_changes(rows, rng):
    kind = kinds(*rows)
    components = Components(kind)
    r, w = rng.random((2, *kind.shape))
    found = components.without_mass(r, w)
    for k in range(1, components.count + 1):
        here = components.labels == k
        rounding = 2 * here.sum() * np.finfo(float).eps  # of sums in any order
        assert (w * found)[here].sum() == pytest.approx(0, abs=rounding)
        assert np.ptp((r - found)[here]) <= rounding
    np.testing.assert_array_equal(found[components.labels == 0], r[components.labels == 0])


def test_the_peak_of_each_piece_is_found(rng):
    w = rng.random((4, 4))
    w[1, 0] = w[2, 3] = 2.0
    peaks = Components(kinds(".. .", ".. .", "   .", "H.  ")).peaks(w)
    assert np.argwhere(peaks).tolist() == [[1, 0], [2, 3]]


def test_without_components_there_is_no_peak():
    assert not Components(kinds(".H", "..")).peaks(np.ones((2, 2))).any()
