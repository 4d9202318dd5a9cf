"""A part of a picture, fused by the plan of the whole, has the whole's lengths and decisions."""

from __future__ import annotations

import numpy as np
import pytest
from numba import get_num_threads, set_num_threads

from osmofuse import Sources, VariationalOsmosis, gallery
from osmofuse.methods.seamless import Seamless
from osmofuse.methods.statistics import Statistics
from osmofuse.methods.union import UnionTarget
from osmofuse.metrics import psnr

SHAPE = (200, 160)
ROWS = slice(50, 180)  # a part that is not far from the whole
SEAMLESS = VariationalOsmosis(target="seamless", reach=4.0)
UNION = VariationalOsmosis(
    target="union", start="target", gamma=0.0, mu=10.0, reach="auto", eta="auto", offset="auto"
)


def sources_of(name: str, rows: slice = slice(None)) -> Sources:
    scene = getattr(gallery, name)(SHAPE, 3)
    alpha = scene.alpha if name in ("clone", "portrait") else np.zeros(SHAPE)
    return Sources(scene.foreground[rows], scene.background[rows], alpha[rows])


@pytest.mark.parametrize("name", ["clone", "portrait"])
def test_a_part_has_the_lengths_of_the_whole(name):
    known = Statistics()
    whole = Seamless().for_sources(sources_of(name), known)
    part = Seamless().for_sources(sources_of(name, ROWS), Statistics(known.values))
    alone = Seamless().for_sources(sources_of(name, ROWS), Statistics())
    assert (part.near, part.tie, part.factor) == (whole.near, whole.tie, whole.factor)
    assert alone.near < whole.near


@pytest.mark.parametrize("covered", [0.0, 1.0])
def test_a_part_has_a_cover_if_the_whole_has(covered):
    known = Statistics({"background 1 covered": covered})
    found = UnionTarget().for_sources(sources_of("cloud"), known)
    assert (found.cover is not None) == bool(covered)


@pytest.mark.parametrize("name", ["manuscript", "cloud", "clone", "portrait"])
def test_a_plan_gives_the_same_pixels_on_any_number_of_threads(name):
    settings = SEAMLESS if name in ("clone", "portrait") else UNION
    sources, threads = sources_of(name), get_num_threads()
    first = settings(sources)
    assert first.plan is not None
    try:
        set_num_threads(1)
        again, alone = settings.run(sources, first.plan), settings(sources)
    finally:
        set_num_threads(threads)
    np.testing.assert_array_equal(again.image, first.image)
    np.testing.assert_array_equal(alone.image, first.image)


@pytest.mark.parametrize(("name", "least"), [("manuscript", 35.0), ("clone", 30.0)])
def test_a_part_looks_like_the_whole(name, least):
    settings = SEAMLESS if name == "clone" else UNION
    whole = settings(sources_of(name))
    part = settings.run(sources_of(name, ROWS), whole.plan)
    inner = slice(25, -25)
    assert psnr(part.image[inner], whole.image[ROWS][inner]) > least
