from __future__ import annotations

import numpy as np
import pytest
from scipy import ndimage

from osmofuse import gallery


@pytest.fixture(scope="module")
def sitting():
    return gallery.portrait((300, 250), seed=0)


def structure(picture):
    """Return the log of the brightness without its slow part: what does not depend on the light."""
    bright = np.log(picture.mean(axis=2) + 0.05)
    return bright - ndimage.gaussian_filter(bright, 8)


def correlation(first, second, where):
    return float(np.corrcoef(first[where], second[where])[0, 1])


def test_truth_is_the_foreground_bit_for_bit_outside_the_oval(sitting):
    kept = sitting.alpha == 1
    assert 0.6 < kept.mean() < 0.95
    assert np.array_equal(sitting.foreground[kept], sitting.truth[kept])


def test_alpha_is_an_oval_with_a_soft_ring(sitting):
    face = sitting.alpha == 0
    assert 0.05 < face.mean() < 0.3
    assert ndimage.label(face)[1] == 1
    assert np.mean((sitting.alpha > 0) & (sitting.alpha < 1)) > 0.01
    assert max(np.abs(np.diff(sitting.alpha, axis=axis)).max() for axis in (0, 1)) < 0.25


def test_truth_has_the_structure_of_the_guest(sitting):
    face = sitting.alpha == 0
    truth, guest, own = map(structure, (sitting.truth, sitting.background, sitting.foreground))
    # Not 1: the light of the two sittings differs.
    assert correlation(truth, guest, face) > 0.9
    assert correlation(truth, guest, face) > correlation(truth, own, face) + 0.1


def test_truth_has_the_colours_of_the_sitter(sitting):
    face = sitting.alpha == 0
    truth, guest, own = (
        part[face].mean(axis=0) / part[face].mean()
        for part in (sitting.truth, sitting.background, sitting.foreground)
    )
    assert np.abs(truth - own).max() < 0.05
    assert np.abs(truth - guest).max() > 2 * np.abs(truth - own).max()


def test_the_two_people_differ_clearly_in_the_face(sitting):
    face = sitting.alpha == 0
    assert np.abs(sitting.foreground - sitting.truth)[face].mean() > 0.02
    assert np.abs(sitting.background - sitting.truth)[face].mean() > 0.05


def test_truth_has_no_seam_at_the_ring(sitting):
    ring = (sitting.alpha > 0) & (sitting.alpha < 1)
    step = np.abs(np.diff(sitting.truth.mean(axis=2), axis=1))
    own = np.abs(np.diff(sitting.foreground.mean(axis=2), axis=1))
    assert step[ring[:, 1:]].mean() < 1.5 * own[ring[:, 1:]].mean()


@pytest.mark.parametrize("shape", [(80, 300), (300, 80), (50, 50)])
def test_the_face_is_in_the_picture_at_other_shapes(shape):
    scene = gallery.portrait(shape)
    assert scene.background.shape == (*shape, 3)
    rows, cols = np.nonzero(scene.alpha == 0)
    assert 0 < rows.min() <= rows.max() < shape[0] - 1
    assert 0 < cols.min() <= cols.max() < shape[1] - 1
