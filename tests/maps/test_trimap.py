from __future__ import annotations

import numpy as np
import pytest

from osmofuse import InputError
from osmofuse.maps import Trimap, trimap_of_mask

LEVELS = np.array([[0, 1, 128, 200, 254, 255]], np.uint8)


def test_what_is_nearly_black_or_white_is_known():
    found = Trimap.of(LEVELS)
    assert found.entered.tolist() == [[True, True, False, False, False, False]]
    assert found.kept.tolist() == [[False, False, False, False, True, True]]
    assert np.array_equal(Trimap.of(LEVELS[..., None]).known, found.known)


def test_a_reduced_trimap_knows_only_what_all_its_pixels_do():
    kept = np.ones((4, 6), bool)
    kept[0, 0] = kept[3, 5] = False
    small = Trimap(kept, ~kept).reduced(2)
    assert small.kept.tolist() == [[False, True, True], [True, True, False]]
    assert not small.entered.any()


def test_a_mask_is_open_along_its_edge():
    mask = np.indices((20, 30))[1] >= 12
    trimap = trimap_of_mask(mask, 3)
    assert np.array_equal(np.unique(trimap), [0, 0.5, 1])
    assert np.array_equal(trimap[5] == 0.5, (np.arange(30) >= 9) & (np.arange(30) < 15))


def test_bad_trimaps():
    with pytest.raises(InputError, match=r"^trimap: shape \(2, 2, 2\)"):
        Trimap.of(np.eye(2)[..., None] * np.ones(2))
    with pytest.raises(InputError, match="no black"):
        Trimap.of(np.ones((2, 2)))
