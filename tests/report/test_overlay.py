from __future__ import annotations

import numpy as np
import pytest

from osmofuse import MismatchError
from osmofuse.report import overlay


def test_it_is_tinted_where_the_background_enters_and_grey_where_not():
    alpha = np.zeros((10, 20))
    alpha[:, 8:] = 1.0
    shown = overlay(np.full((10, 20, 3), 0.5), alpha)
    assert shown.dtype == np.uint8
    assert np.ptp(shown[:, :7].astype(int), axis=2).min() > 60
    assert np.ptp(shown[:, 10:].astype(int), axis=2).max() == 0
    assert (shown[:, 8] == 255).all()  # the line at one half


@pytest.mark.parametrize("shape", [(1, 1), (4, 5, 3)])
def test_of_any_map_without_an_edge_there_is_no_line(shape):
    shown = overlay(np.full(shape[:2], 0.25), np.ones(shape))
    assert (shown == 64).all()


def test_two_sizes_do_not_fit():
    with pytest.raises(MismatchError, match="alpha: shape"):
        overlay(np.ones((3, 4)), np.ones((4, 3)))
