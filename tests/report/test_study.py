"""The sheet of a sweep: every picture in the row and column of its settings."""

from __future__ import annotations

from itertools import product
from types import SimpleNamespace

import numpy as np
import pytest

from osmofuse.errors import InputError, LimitError
from osmofuse.report import study, study_sheet
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


def test_no_two_trials_have_one_name():
    near = [trial((9, 9, 9), mu=1000000.0), trial((8, 8, 8), mu=1000001.0)]
    assert study.trial_names(near) == ["μ = 1000000", "μ = 1000001"]


def test_what_is_not_varied_is_said_once():
    trials = [trial((9, 9, 9), eta=0.0), trial((8, 8, 8), eta=0.5)]
    fixed = study._said(study._fixed([one.settings for one in trials]))
    assert fixed == "from foreground, μ = 10, reach 8 px, γ = 1"
    assert study._value("reach", None) == "by the rule"
    assert study._value("gamma", np.inf) == "γ = inf"


def test_a_single_trial_and_large_pictures_fit():
    sheet = study_sheet([trial((1, 2, 3), size=(900, 1600))])
    assert sheet.shape[1] < 700


def test_nothing_and_too_much_are_refused():
    with pytest.raises(InputError, match="nothing to show"):
        study_sheet([])
    with pytest.raises(LimitError, match="60 columns"):
        study_sheet([trial((0, 0, 0), eta=i / 100) for i in range(60)])


def test_a_trial_is_called_by_what_was_varied():
    trials = [trial((1, 2, 3), eta=eta, reach=reach) for eta, reach in product((0, 0.5), (8, None))]
    names = study.trial_names(trials)
    assert names == [
        "reach 8 px, η = 0", "by the rule, η = 0", "reach 8 px, η = 0.5", "by the rule, η = 0.5",
    ]  # fmt: skip
    assert study.trial_names(trials[:1]) == ["η = 0"], "it needs some name"
