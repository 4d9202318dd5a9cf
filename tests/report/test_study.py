"""The sheet of a sweep: every picture in the row and column of its settings."""

from __future__ import annotations

from itertools import product
from types import SimpleNamespace

import numpy as np
import pytest

from osmofuse.errors import InputError, LimitError
from osmofuse.report import study_sheet
from osmofuse.report.study import check_sheet
from osmofuse.tasks import Trial

SIZE = (120, 90)


def trial(colour, size=SIZE, **settings):
    image = np.broadcast_to(np.asarray(colour) / 255, (*size, 3))
    every = {"start": "foreground", "mu": 10.0, "reach": 8.0, "eta": 0.1, "gamma": 1.0}
    return Trial(every | settings, SimpleNamespace(image=image))


def corner(sheet, colour):
    """Find the top left corner of a picture of one colour; it must be a full rectangle."""
    found = (sheet == np.array(colour, np.uint8)).all(axis=2)
    rows, cols = np.flatnonzero(found.any(1)), np.flatnonzero(found.any(0))
    assert found[rows[0] : rows[-1] + 1, cols[0] : cols[-1] + 1].all()
    return rows[0], cols[0]


def test_rows_and_columns_are_those_of_the_settings():
    colours = {
        (mu, eta, gamma): (20 + 40 * i, 100 + 30 * j, 60 + 90 * k)
        for (i, mu), (j, eta), (k, gamma) in product(
            enumerate((10, 100)), enumerate((0, 0.1, 0.5)), enumerate((0, 1))
        )
    }
    trials = [
        trial(colour, mu=mu, eta=eta, gamma=gamma) for (mu, eta, gamma), colour in colours.items()
    ]
    sheet = study_sheet(trials, title="A study")
    corners = {key: corner(sheet, colour) for key, colour in colours.items()}
    tops, lefts = ({c[axis] for c in corners.values()} for axis in (0, 1))
    assert len(tops) == 2
    assert len(lefts) == 6
    for (mu, eta, gamma), (top, left) in corners.items():
        assert top == sorted(tops)[(10, 100).index(mu)]
        assert left == sorted(lefts)[2 * (0, 0.1, 0.5).index(eta) + gamma]
    steps = np.diff(sorted(lefts))
    assert steps[1] > steps[0], "groups of eta stand apart"


def places(settings, size=SIZE):
    """Return how many rows and columns a sheet has; each trial has a colour of its own."""
    trials = [trial((k + 1, 100, 200), size, **one) for k, one in enumerate(settings)]
    sheet = study_sheet(trials)
    corners = [corner(sheet, (k + 1, 100, 200)) for k in range(len(trials))]
    assert len(set(corners)) == len(trials)
    return tuple(len({c[axis] for c in corners}) for axis in (0, 1))


def grid(**lists):
    return [dict(zip(lists, values, strict=True)) for values in product(*lists.values())]


@pytest.mark.parametrize(
    ("lists", "expected"),
    [
        ({"eta": (0, 0.1, 0.5)}, (1, 3)),
        ({"mu": (10, 100)}, (1, 2)),
        ({"alpha": (0.2, "map 2"), "offset": (0.5, 1, 2)}, (2, 3)),
        ({"regulariser": ("huber", None), "eta": (0, 0.1), "mu": (1, 2)}, (2, 4)),
        ({"eta": tuple(range(12))}, (1, 12)),
        ({"eta": tuple(range(60))}, (60, 1)),
    ],
)
def test_any_setting_finds_its_place(lists, expected):
    assert places(grid(**lists)) == expected


def test_a_single_trial_and_large_pictures_fit():
    sheet = study_sheet([trial((1, 2, 3), size=(900, 1600))])
    assert sheet.shape[1] < 700


def test_nothing_and_too_much_are_refused():
    with pytest.raises(InputError, match="nothing to show"):
        study_sheet([])
    with pytest.raises(
        LimitError, match=r"rows and .* columns are too many for one sheet; vary eta"
    ):
        check_sheet([{"eta": i} for i in range(500)], SIZE)
    many = grid(eta=range(200), mu=range(1, 201))
    with pytest.raises(LimitError, match=r"200 rows and 200 columns .*; vary eta or mu less"):
        check_sheet(many, SIZE)
