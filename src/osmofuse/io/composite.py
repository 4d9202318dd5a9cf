"""Mark a picture as made of several, in its XMP."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from osmofuse.io.xmp import Packet
from osmofuse.picture import Metadata
from osmofuse.tags import normalise_exif

__all__ = ["composite_metadata"]

_COMPOSITE = "http://cv.iptc.org/newscodes/digitalsourcetype/composite"
# What names the foreground's file among others now names what the composite derives from.
_IDENTITIES = {"xmpMM:DocumentID": "stRef:documentID", "xmpMM:InstanceID": "stRef:instanceID"}


def composite_metadata(
    metadata: Metadata, *, derived_from: Sequence[str], history: str, when: str | None = None
) -> Metadata:
    """Mark metadata as those of a composite; what they said before stays.

    The XMP comes to say that the picture is a composite (IPTC's DigitalSourceType), what it was
    derived from (xmpMM:DerivedFrom is the first source, xmpMM:Ingredients are all), and how (a
    further entry of xmpMM:History). Thumbnails of the foreground go, and its DocumentID and
    InstanceID move into DerivedFrom, since the composite is another document.

    Parameters
    ----------
    metadata : Metadata
        Of the foreground; never changed.
    derived_from : sequence of str
        The names of the sources, the foreground first.
    history : str
        What was done, e.g. the settings as JSON.
    when : str, optional
        The time in ISO 8601; left out if not given, so that the same job gives the same bytes.

    Returns
    -------
    Metadata
        The same but for XMP and thumbnails. XMP that cannot be parsed is replaced, and the
        history says so.
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
