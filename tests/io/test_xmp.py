"""XMP says upright once the picture is; packets keep prefixes that mean something else."""

from __future__ import annotations

import xml.etree.ElementTree as ET

import numpy as np
import pytest
import tifffile

from osmofuse.io import read
from osmofuse.io.xmp import NAMESPACES, Packet, upright
from picture_files import noise


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (b'<d tiff:Orientation="6" a="6"/>', b'<d tiff:Orientation="1" a="6"/>'),
        (b"<d tiff:Orientation = '8'/>", b"<d tiff:Orientation = '1'/>"),
        (b"<tiff:Orientation>3</tiff:Orientation>", b"<tiff:Orientation>1</tiff:Orientation>"),
        (b'<d tiff:Orientation="1"/>', b'<d tiff:Orientation="1"/>'),
        (b'<d tiff:Orientation="66"/>', b'<d tiff:Orientation="66"/>'),
        (b"<d>6</d>", b"<d>6</d>"),
    ],
)
def test_upright(before, after):
    assert upright(before) == after


def test_a_turned_picture_is_not_turned_again_by_its_xmp(tmp_path):
    xmp = b'<x:xmpmeta xmlns:x="adobe:ns:meta/"><d tiff:Orientation="6"/></x:xmpmeta>'
    pixels = noise((5, 7), "uint16")
    tags = [(274, "H", 1, 6, True), (700, "B", len(xmp), xmp, True)]
    tifffile.imwrite(tmp_path / "a.tif", pixels, extratags=tags, metadata=None)
    picture = read(tmp_path / "a.tif")
    np.testing.assert_array_equal(picture.pixels, np.rot90(pixels, -1))
    assert b'tiff:Orientation="1"' in picture.metadata.xmp


def test_a_prefix_with_another_meaning_is_declared_anew():
    packet = Packet(
        b'<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:xmpMM="urn:other">'
        b'<rdf:Description rdf:about="" xmpMM:x="1"/></rdf:RDF>'
    )
    packet.put("xmpMM:DerivedFrom", {"stRef:filePath": "a.tif"})
    description = ET.fromstring(bytes(packet))[0]
    assert description.get("{urn:other}x") == "1"
    assert description[0].tag == "{" + NAMESPACES["xmpMM"] + "}DerivedFrom"


def test_a_simple_property_is_put_and_taken():
    packet = Packet(None)
    assert packet.pop("xmp:Rating") is None
    packet.put("xmp:Rating", "4")
    packet.put("xmp:Rating", "5")
    assert Packet(bytes(packet)).pop("xmp:Rating") == "5"
    assert not packet.damaged


@pytest.mark.parametrize(
    "xmp", [b"<x>" + b"<a/>" * 300_000 + b"</x>", b"<x>" + b"a" * 17_000_000 + b"</x>"]
)
def test_a_packet_that_is_far_too_large_is_not_parsed(xmp):
    packet = Packet(xmp)
    assert packet.damaged
    assert len(bytes(packet)) < 1000
