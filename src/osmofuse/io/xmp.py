"""XMP packets, and the mark of a composite in them.

A packet is parsed into a tree that keeps prefixes and comments, changed, and packed again.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, cast
from xml.dom.minidom import Document, Element, parseString
from xml.parsers.expat import ExpatError

from osmofuse.io.tags import normalise_exif
from osmofuse.picture import Metadata

NAMESPACES = {
    "rdf": "http://www.w3.org/1999/02/22-rdf-syntax-ns#",
    "xmp": "http://ns.adobe.com/xap/1.0/",
    "xmpMM": "http://ns.adobe.com/xap/1.0/mm/",
    "stEvt": "http://ns.adobe.com/xap/1.0/sType/ResourceEvent#",
    "stRef": "http://ns.adobe.com/xap/1.0/sType/ResourceRef#",
    "Iptc4xmpExt": "http://iptc.org/std/Iptc4xmpExt/2008-02-29/",
}
# Bytes and tags of a packet that are parsed: a tree takes some 400 bytes and 8 µs an element.
_MOST_PACKET_BYTES, _MOST_MARKS = 16_000_000, 200_000
_XMLNS = "http://www.w3.org/2000/xmlns/"  # of declarations of prefixes
# Packet without properties.
_EMPTY = (
    b'<?xpacket begin="\xef\xbb\xbf" id="W5M0MpCehiHzreSzNTczkc9d"?>'
    b'<x:xmpmeta xmlns:x="adobe:ns:meta/"/><?xpacket end="w"?>'
)
# Characters that XML cannot hold; an orientation other than upright.
_FORBIDDEN = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_STATED_ORIENTATION = re.compile(rb"""(tiff:Orientation\s*(?:=\s*["']|>)\s*)[2-8](?=\s*["'<])""")
# IPTC's term for the source of a composite.
_COMPOSITE = "http://cv.iptc.org/newscodes/digitalsourcetype/composite"
# Identifiers of the foreground, which become those of the composite's source.
_IDENTITIES = {"xmpMM:DocumentID": "stRef:documentID", "xmpMM:InstanceID": "stRef:instanceID"}


def upright(xmp: bytes) -> bytes:
    """Return a packet of the same length whose orientation is upright; all else is kept."""
    return _STATED_ORIENTATION.sub(rb"\g<1>1", xmp)


class Packet:
    """Editable XMP packet; an empty one if the bytes are missing, damaged or far too large.

    In XMP a property is an attribute or an element, in any of several descriptions; it is found
    in all of these forms.
    """

    def __init__(self, xmp: bytes | None) -> None:
        self.damaged = False
        try:
            self._document = _parse(xmp or _EMPTY)
        except (ExpatError, ValueError, RecursionError):
            self.damaged = True
            self._document = _parse(_EMPTY)
        top, rdf = cast(Element, self._document.documentElement), NAMESPACES["rdf"]
        found = [top] if top.namespaceURI == rdf else _children(top, rdf, "RDF")
        self._root = found[0] if found else self._child(top, "rdf:RDF")

    def __bytes__(self) -> bytes:
        return b"".join(node.toxml("utf-8") for node in self._document.childNodes)

    def pop(self, name: str) -> str | None:
        """Remove a property, and return its text if it is a simple one."""
        prefix, local = name.split(":")
        space, found = NAMESPACES[prefix], None
        for description in self._descriptions():
            if description.hasAttributeNS(space, local):
                found = description.getAttributeNS(space, local)
                description.removeAttributeNS(space, local)
            for element in _children(description, space, local):
                found = "".join(node.data for node in element.childNodes if node.nodeType == 3)
                description.removeChild(element)
        return found

    def put(self, name: str, value: str | dict[str, str]) -> None:
        """Set a property to a text or a structure, replacing its old value."""
        self.pop(name)
        self._fill(self._child(self._description(), name), value)

    def append(self, name: str, value: dict[str, str], *, container: str) -> None:
        """Append a structure to a property that is an rdf:Seq or rdf:Bag."""
        prefix, local = name.split(":")
        present = [
            element
            for description in self._descriptions()
            for element in _children(description, NAMESPACES[prefix], local)
        ]
        property_ = present[0] if present else self._child(self._description(), name)
        lists = _children(property_, NAMESPACES["rdf"], "Seq", "Bag", "Alt")
        list_ = lists[0] if lists else self._child(property_, container)
        self._fill(self._child(list_, "rdf:li"), value)

    def _descriptions(self) -> list[Element]:
        return _children(self._root, NAMESPACES["rdf"], "Description")

    def _description(self) -> Element:
        """Return the description for new properties: the first, or a new one."""
        found = self._descriptions()
        if found:
            return found[0]
        made = self._child(self._root, "rdf:Description")
        made.setAttributeNS(NAMESPACES["rdf"], "rdf:about", "")
        return made

    def _child(self, parent: Element, name: str) -> Element:
        prefix = name.partition(":")[0]
        child: Element = self._document.createElementNS(NAMESPACES[prefix], name)
        parent.appendChild(child)
        _declare(child, prefix)
        return child

    def _fill(self, element: Element, value: str | dict[str, str]) -> None:
        if isinstance(value, str):
            text = _FORBIDDEN.sub("\ufffd", value)
            element.appendChild(self._document.createTextNode(text))
            return
        _declare(element, "rdf")
        element.setAttributeNS(NAMESPACES["rdf"], "rdf:parseType", "Resource")
        for name, text in value.items():
            self._fill(self._child(element, name), text)


def _parse(xmp: bytes) -> Document:
    # XMP has no use for entities, which could expand without bound.
    if b"<!DOCTYPE" in xmp or b"<!ENTITY" in xmp:
        raise ValueError("XMP with entities")
    if len(xmp) > _MOST_PACKET_BYTES or xmp.count(b"<") > _MOST_MARKS:
        raise ValueError("XMP of more elements than any software writes")
    document = parseString(xmp.strip(b"\0 \t\r\n"))
    document.toxml()  # a tree that is too deep fails here and not later
    return document


def _declare(element: Element, prefix: str) -> None:
    """Declare a prefix at an element, unless an ancestor declares it."""
    around: Any = element
    while isinstance(around, Element):
        if around.hasAttribute(f"xmlns:{prefix}"):
            if around.getAttribute(f"xmlns:{prefix}") == NAMESPACES[prefix]:
                return
            break
        around = around.parentNode
    element.setAttributeNS(_XMLNS, f"xmlns:{prefix}", NAMESPACES[prefix])


def _children(parent: Element, space: str, *names: str) -> list[Element]:
    return [
        node
        for node in parent.childNodes
        if isinstance(node, Element) and node.namespaceURI == space and node.localName in names
    ]


def composite_metadata(
    metadata: Metadata, *, derived_from: Sequence[str], history: str, when: str | None = None
) -> Metadata:
    """Return metadata marked as those of a composite; all else is kept.

    The XMP states that the picture is a composite (IPTC's DigitalSourceType), its sources
    (xmpMM:DerivedFrom is the first, xmpMM:Ingredients are all), and how it was made (a further
    entry of xmpMM:History). Thumbnails of the foreground are removed, and its DocumentID and
    InstanceID move to DerivedFrom, since the composite is another document.

    Parameters
    ----------
    metadata : Metadata
        Of the foreground; never changed.
    derived_from : sequence of str
        Names of the sources, the foreground first.
    history : str
        Description of the processing, e.g. the settings as JSON.
    when : str, optional
        Time in ISO 8601; omitted by default, so that the same job gives the same bytes.

    Returns
    -------
    Metadata
        The same except for XMP and thumbnails. XMP that cannot be parsed is replaced, and the
        history notes it.
    """
    packet = Packet(metadata.xmp)
    identity = {ours: packet.pop(theirs) for theirs, ours in _IDENTITIES.items()}
    packet.pop("xmp:Thumbnails")
    packet.put("Iptc4xmpExt:DigitalSourceType", _COMPOSITE)
    if derived_from:
        known = {name: text for name, text in identity.items() if text}
        packet.put("xmpMM:DerivedFrom", {"stRef:filePath": derived_from[0], **known})
    packet.pop("xmpMM:Ingredients")
    for source in derived_from:
        packet.append("xmpMM:Ingredients", {"stRef:filePath": source}, container="rdf:Bag")
    if packet.damaged:
        history += " (the XMP of the foreground was damaged or too large, and is not carried)"
    event = {"stEvt:action": "edited", "stEvt:softwareAgent": "osmofuse"}
    if when:
        event["stEvt:when"] = when
    packet.append("xmpMM:History", event | {"stEvt:parameters": history}, container="rdf:Seq")
    exif = normalise_exif(metadata.exif) if metadata.exif else None
    return replace(metadata, xmp=bytes(packet), exif=exif)
