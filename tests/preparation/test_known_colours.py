from __future__ import annotations

import numpy as np

from osmofuse.preparation.known_colours import ALIKE, PLACE, ties_to_known
from osmofuse.preparation.trimap import Trimap


def test_each_open_pixel_is_tied_to_the_nearer_side_by_how_sure_it_is():
    # Known to be 1, known to be 0; then: as the first, as the second, between, like neither.
    image = np.array([0.2, 0.23, 0.2, 0.23, 0.215, 0.9])[None, :, None]
    kept, entered = np.eye(6, dtype=bool)[:2, None]
    ties = ties_to_known(image, Trimap(kept, entered))
    assert ties.i.tolist() == [2, 3, 4, 5]
    assert ties.j[:2].tolist() == [0, 1]
    step = PLACE / np.hypot(1, 6)
    same, other = (np.exp(-((np.hypot(c, n * step) / ALIKE) ** 2)) for c, n in ((0, 2), (0.03, 1)))
    np.testing.assert_allclose(ties.k[0], same - other)
    assert ties.k[2] < 0.5 * ties.k[0]
    assert ties.k[3] == 0


def test_where_one_side_is_not_known_at_all_there_are_no_ties():
    nothing = np.zeros((2, 3), bool)
    kept = nothing.copy()
    kept[0, 0] = True
    ties = ties_to_known(np.ones((2, 3, 1)), Trimap(kept, nothing))
    assert len(ties.i) == len(ties.j) == len(ties.k) == 0
