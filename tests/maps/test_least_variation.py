from __future__ import annotations

import numpy as np
from scipy.sparse import csr_array

from osmofuse.maps import least_variation as module
from osmofuse.maps.least_variation import least_variation
from osmofuse.maps.trimap import Trimap
from osmofuse.progress import Guard, Status


def test_along_a_chain_the_map_falls_evenly():
    steps = np.diff(np.eye(5), axis=0)
    kept, entered = np.eye(5, dtype=bool)[[0]], np.eye(5, dtype=bool)[[4]]
    alpha, status = least_variation(csr_array(steps.T @ steps), Trimap(kept, entered), Guard(None))
    assert status is Status.converged
    np.testing.assert_allclose(alpha, [[1, 0.75, 0.5, 0.25, 0]], atol=1e-6)


def test_what_is_all_known_needs_no_matrix():
    kept = np.array([[True, False]])
    alpha, status = least_variation(None, Trimap(kept, ~kept), Guard(None))
    assert status is Status.direct
    assert np.array_equal(alpha, [[1, 0]])


def test_values_within_half_a_grey_level_of_the_ends_are_rounded():
    found = module._snapped(np.array([-0.1, 0.0019, 0.003, 0.5, 0.997, 0.9981, 1.2]))
    assert found.tolist() == [0, 0, 0.003, 0.5, 0.997, 1, 1]
