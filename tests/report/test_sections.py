"""The sections of a page by themselves."""

from __future__ import annotations

from xml.etree import ElementTree

import numpy as np
import pytest

from osmofuse.report import Provenance
from osmofuse.report.canvas import colours
from osmofuse.report.layers import maps_as_layers
from osmofuse.report.sections import blind_section, how_section, maps_section, numbers_section


@pytest.mark.parametrize(
    "section", [maps_section({}, ""), numbers_section({}, None), blind_section({}, None)]
)
def test_what_has_nothing_to_show_is_not_there(section):
    assert section == ""


def test_the_colour_bar_has_the_colours_of_the_maps():
    section = maps_section(
        maps_as_layers({"Seam": (np.ones((3, 4)), "Step <2>", 0.5)}), "Of & with."
    )
    gradient = ElementTree.fromstring(
        section[section.index("<linearGradient") :].split("</defs>")[0]
    )
    stops = [stop.get("stop-color") for stop in gradient]
    first, last = (np.rint(255 * colours()[k]).astype(int) for k in (0, 255))
    assert stops[0] == "#{:02x}{:02x}{:02x}".format(*first)
    assert stops[-1] == "#{:02x}{:02x}{:02x}".format(*last)
    assert "Step &lt;2&gt;" in section
    assert "0.5 and more" in section
    assert 'data-show="map_seam" data-beside="fused"' in section
    assert "<p>Of &amp; with.</p>" in section


def test_without_record_or_command_there_are_still_the_files():
    section = how_section(Provenance(), "", ["pictures/fused.png"])
    assert "pictures/fused.png" in section
    assert "Make it again" not in section
    assert "whole record" not in section
