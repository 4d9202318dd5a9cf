"""Files that do not fit together are refused by their headers, with what to do."""

from __future__ import annotations

import numpy as np
import pytest

import osmofuse
from osmofuse.errors import MismatchError
from osmofuse.jobs.files import look_at_pictures
from osmofuse.jobs.fit import check_fit


@pytest.fixture
def look(tmp_path):
    """Return a function that writes pictures of some shapes and looks at them, by role."""

    def made(**shapes):
        roles = {role.replace("_", "-"): shape for role, shape in shapes.items()}
        paths = {
            role: osmofuse.write(
                np.zeros(shape, np.uint8), tmp_path / f"{role}.png", overwrite=True
            )
            for role, shape in roles.items()
        }
        return look_at_pictures(paths)

    return made


def test_one_size_and_fitting_bands_are_let_through(look):
    check_fit(look(foreground=(6, 5, 3), background=(6, 5), background_2=(6, 5, 3), alpha=(6, 5)))


@pytest.mark.parametrize(
    ("role", "remedy"),
    [("background", "--align homography"), ("background_2", "--align"), ("truth", "crop or")],
)
def test_another_size_is_refused_with_a_remedy(look, role, remedy):
    shapes = {"foreground": (6, 5, 3), "background": (6, 5), role: (7, 5)}
    with pytest.raises(MismatchError, match=rf"5 × 7 pixels, but the foreground .*{remedy}"):
        check_fit(look(**shapes))


def test_what_is_aligned_may_have_a_size_of_its_own_but_not_more_bands(look):
    check_fit(look(foreground=(6, 5, 3), background=(9, 9), background_2=(2, 3)), aligned=True)
    with pytest.raises(MismatchError, match="are the two swapped"):
        check_fit(look(foreground=(6, 5), background=(9, 9, 3)), aligned=True)
    with pytest.raises(MismatchError, match="crop or enlarge"):
        check_fit(look(foreground=(6, 5), background=(9, 9), alpha=(9, 9)), aligned=True)
