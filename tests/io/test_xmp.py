"""XMP packets, and the mark of a composite in them, readable by another parser."""

from __future__ import annotations

import io
import struct
import xml.etree.ElementTree as ET

import numpy as np
import pytest
import tifffile
from PIL import Image

from osmofuse.io import composite_metadata, read, write
from osmofuse.io.xmp import NAMESPACES, Packet, upright
from osmofuse.picture import Metadata, Picture
from picture_files import exif, noise


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


RDF, MM, EVT, REF, EXT = (
    "{" + NAMESPACES[name] + "}" for name in ("rdf", "xmpMM", "stEvt", "stRef", "Iptc4xmpExt")
)
DC = "{http://purl.org/dc/elements/1.1/}"
COMPOSITE = "http://cv.iptc.org/newscodes/digitalsourcetype/composite"

RICH = """<?xpacket begin="\ufeff" id="W5M0MpCehiHzreSzNTczkc9d"?>
<x:xmpmeta xmlns:x="adobe:ns:meta/"><!-- by hand -->
 <rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
  <rdf:Description rdf:about="" xmlns:dc="http://purl.org/dc/elements/1.1/"
    xmlns:mm="http://ns.adobe.com/xap/1.0/mm/" mm:DocumentID="xmp.did:1"
    xmlns:ext="http://iptc.org/std/Iptc4xmpExt/2008-02-29/"
    ext:DigitalSourceType="http://cv.iptc.org/newscodes/digitalsourcetype/digitalCapture">
   <dc:creator><rdf:Seq><rdf:li>Blätter &amp; Söhne</rdf:li></rdf:Seq></dc:creator>
   <mm:InstanceID>xmp.iid:2</mm:InstanceID>
   <mm:OriginalDocumentID>raw:7</mm:OriginalDocumentID>
   <mm:History xmlns:e="http://ns.adobe.com/xap/1.0/sType/ResourceEvent#"><rdf:Seq>
     <rdf:li e:action="created" e:softwareAgent="Camera"/></rdf:Seq></mm:History>
  </rdf:Description>
  <rdf:Description rdf:about="" xmlns:xmp="http://ns.adobe.com/xap/1.0/">
   <xmp:Thumbnails><rdf:Alt><rdf:li>AAAA</rdf:li></rdf:Alt></xmp:Thumbnails>
   <xmp:Rating>5</xmp:Rating>
  </rdf:Description>
 </rdf:RDF>
</x:xmpmeta>
<?xpacket end="w"?>""".encode()


def marked(xmp, sources=("vis.tif", "ir.tif"), history="how"):
    return composite_metadata(Metadata(xmp=xmp), derived_from=sources, history=history)


def root(metadata):
    return ET.parse(io.BytesIO(metadata.xmp)).getroot()


def text(metadata, path):
    return [element.text for element in root(metadata).iterfind(path)]


@pytest.mark.parametrize(
    "xmp", [None, RICH, RICH + bytes(2000), RICH.decode().encode("utf-16"), b"<x:xmpmeta", b"\xff"]
)
def test_the_mark_is_there_whatever_was_before(xmp):
    metadata = marked(xmp)
    assert text(metadata, f".//{EXT}DigitalSourceType") == [COMPOSITE]
    assert text(metadata, f".//{MM}DerivedFrom/{REF}filePath") == ["vis.tif"]
    assert text(metadata, f".//{MM}Ingredients/{RDF}Bag/{RDF}li/{REF}filePath") == [
        "vis.tif", "ir.tif",
    ]  # fmt: skip
    assert text(metadata, f".//{MM}History/{RDF}Seq/{RDF}li/{EVT}parameters")[0].startswith("how")
    assert "digitalCapture" not in metadata.xmp.decode()


def test_what_was_said_before_is_kept():
    metadata = marked(RICH)
    assert text(metadata, f".//{DC}creator/{RDF}Seq/{RDF}li") == ["Blätter & Söhne"]
    assert text(metadata, f".//{MM}OriginalDocumentID") == ["raw:7"]
    assert b"<xmp:Rating>5</xmp:Rating>" in metadata.xmp
    assert b"<!-- by hand -->" in metadata.xmp
    assert metadata.xmp.startswith(b"<?xpacket begin=")
    assert metadata.xmp.endswith(b'<?xpacket end="w"?>')
    first, second = root(metadata).iterfind(f".//{MM}History/{RDF}Seq/{RDF}li")
    assert first.get(f"{EVT}action") == "created"
    assert second.find(f"{EVT}softwareAgent").text == "osmofuse"


def test_the_identity_of_the_foreground_moves_into_what_it_was_derived_from():
    metadata = marked(RICH)
    assert text(metadata, f".//{MM}DerivedFrom/{REF}documentID") == ["xmp.did:1"]
    assert text(metadata, f".//{MM}DerivedFrom/{REF}instanceID") == ["xmp.iid:2"]
    assert text(metadata, f".//{MM}InstanceID") == []
    assert b"mm:DocumentID" not in metadata.xmp


def test_thumbnails_go():
    assert b"Thumbnails" not in marked(RICH).xmp
    make = struct.pack("<H2HI4sI", 1, 271, 2, 4, b"Ada\0", 26)
    places = struct.pack("<H2H2I2H2II", 2, 513, 4, 1, 56, 514, 4, 1, 5, 0)
    blob = b"II*\0\x08\0\0\0" + make + places + b"THUMB"
    with Image.open(io.BytesIO(blank_jpeg(blob))) as other:
        assert other.getexif().get_ifd(-1)[514] == 5  # it is a thumbnail to another reader
    exif_now = composite_metadata(Metadata(exif=blob), derived_from=["a"], history="b").exif
    assert b"Ada" in exif_now
    assert b"THUMB" not in exif_now


def blank_jpeg(blob):
    file = io.BytesIO()
    Image.new("RGB", (8, 8)).save(file, "jpeg", exif=b"Exif\0\0" + blob)
    return file.getvalue()


def test_a_second_composite_adds_to_the_history():
    metadata = composite_metadata(marked(RICH), derived_from=["first.tif"], history="again")
    assert text(metadata, f".//{MM}History/{RDF}Seq/{RDF}li/{EVT}parameters") == ["how", "again"]
    assert text(metadata, f".//{MM}DerivedFrom/{REF}filePath") == ["first.tif"]
    assert text(metadata, f".//{MM}Ingredients/{RDF}Bag/{RDF}li/{REF}filePath") == ["first.tif"]


def test_any_text_survives():
    odd = 'a <b> & "c" \0\x07 \ud800 Blätter 12° \U0001f600'
    metadata = marked(None, [odd], odd)
    told = text(metadata, f".//{MM}DerivedFrom/{REF}filePath")[0]
    assert told == 'a <b> & "c" \ufffd\ufffd \ufffd Blätter 12° \U0001f600'


def test_the_time_is_said_if_it_is_given():
    metadata = composite_metadata(
        Metadata(), derived_from=["a"], history="b", when="2026-05-06T07:08:09Z"
    )
    assert text(metadata, f".//{EVT}when") == ["2026-05-06T07:08:09Z"]
    assert marked(RICH) == marked(RICH)


def test_damaged_xmp_is_replaced_and_the_history_says_so():
    bomb = b'<!DOCTYPE x [<!ENTITY a "aaaa">]><x:xmpmeta xmlns:x="adobe:ns:meta/">&a;</x:xmpmeta>'
    deep = b"<a>" * 5000 + b"</a>" * 5000
    for broken in (b"<x:xmpmeta", bomb, deep):
        (told,) = text(marked(broken), f".//{EVT}parameters")
        assert "was damaged" in told


@pytest.mark.parametrize("suffix", [".tif", ".png", ".jpg", ".webp"])
def test_the_mark_reaches_the_file(tmp_path, suffix):
    metadata = composite_metadata(
        Metadata(xmp=RICH, exif=exif()), derived_from=["vis.tif", "ir.tif"], history="how"
    )
    path = write(Picture(noise((8, 9, 3), "uint8"), metadata=metadata), tmp_path / f"a{suffix}")
    assert read(path).metadata.xmp == metadata.xmp
    with Image.open(path) as other:
        other.load()
        seen = other.info.get("xmp") or other.info["XML:com.adobe.xmp"].encode()
    assert COMPOSITE.encode() in seen
