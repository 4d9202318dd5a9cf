"""The energy curve: well-formed SVG, points where they belong, numbers that are round."""

from __future__ import annotations

import math
from xml.etree import ElementTree

import pytest

from osmofuse.progress import Step
from osmofuse.report.curve import energy_curve

SVG = "{http://www.w3.org/2000/svg}"


def step(iteration, energy, reach=None, channel=None):
    return Step(channel, iteration, None, reach, energy, {}, None, None, 0)


def drawn(history):
    return ElementTree.fromstring(energy_curve(history))


def points(line):
    return [tuple(map(float, pair.split(","))) for pair in line.get("points").split()]


def test_it_falls_from_left_to_right_as_the_energy_does():
    svg = drawn([step(k, 100 / k, reach=2.0 * k) for k in range(1, 6)])
    (line,) = svg.findall(f"{SVG}polyline")
    xs, ys = zip(*points(line), strict=True)
    assert list(xs) == sorted(xs)
    assert list(ys) == sorted(ys), "down the page"
    share = (ys[1] - ys[0]) / (ys[-1] - ys[0])
    assert share == pytest.approx((100 - 50) / (100 - 20), abs=0.01)
    assert len(svg.findall(f"{SVG}circle")) == 5


def test_it_says_what_lies_across():
    texts = [t.text for t in drawn([step(1, 2.0, 4.0), step(2, 1.0, 9.0)]).iter(f"{SVG}text")]
    assert "Reach in pixels" in texts
    texts = [t.text for t in drawn([step(1, 2.0), step(2, 1.0)]).iter(f"{SVG}text")]
    assert "Iteration" in texts


def test_channels_have_lines_and_names_of_their_own():
    history = [step(k, e, channel=c) for c in range(3) for k, e in ((1, 9.0 - c), (2, 4.0 - c))]
    svg = drawn(history)
    lines = svg.findall(f"{SVG}polyline")
    assert len({line.get("stroke") for line in lines}) == 3
    texts = [text.text for text in svg.iter(f"{SVG}text")]
    assert {"red", "green", "blue"} <= set(texts)
    assert "red 4; green 3; blue 2" in svg.find(f"{SVG}title").text


def test_all_lies_inside_and_the_numbers_are_round():
    svg = drawn([step(1, 671.4788, 4.447), step(2, 671.3525, 9.07)])
    _, _, width, height = map(float, svg.get("viewBox").split())
    for line in svg.findall(f"{SVG}polyline"):
        assert all(0 < x < width and 0 < y < height for x, y in points(line))
    texts = [text.text for text in svg.iter(f"{SVG}text")]
    assert "671.35" in texts
    assert "671.50" in texts


@pytest.mark.parametrize("energies", [(5.0, 5.0), (0.0, 0.0), (-3.0, -1e9), (1e-9, 2e-9)])
def test_strange_energies_are_drawn_too(energies):
    svg = drawn([step(k, energy) for k, energy in enumerate(energies, 1)])
    assert svg.findall(f"{SVG}polyline")


@pytest.mark.parametrize(
    "history",
    [(), (step(1, 3.0),), (step(1, None), step(2, None)), (step(1, 1.0), step(2, math.nan))],
)
def test_less_than_two_energies_make_no_line(history):
    assert energy_curve(history) is None


def test_one_step_without_a_reach_puts_iterations_across():
    svg = drawn([step(1, 3.0), step(2, 2.0, 8.0), step(3, 1.0, 9.0)])
    assert "Iteration" in [text.text for text in svg.iter(f"{SVG}text")]
    (line,) = svg.findall(f"{SVG}polyline")
    first, second, third = (x for x, _ in points(line))
    assert third - second == pytest.approx(second - first, abs=0.2)
