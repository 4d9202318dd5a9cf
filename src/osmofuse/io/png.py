"""XMP in PNG: libvips puts it into a kind of chunk where other software does not look."""

from __future__ import annotations

import struct
import zlib
from typing import BinaryIO

__all__ = ["add_xmp"]

_BEHIND_HEADER = 8 + 25  # the signature, and IHDR with its length, name and checksum
_BLOCK = 2**24


def add_xmp(file: BinaryIO, xmp: bytes) -> None:
    """Put an XMP packet behind the header of a PNG, in the iTXt chunk that XMP's standard asks for.

    Parameters
    ----------
    file : binary file
        A whole PNG without XMP, open for reading and writing.
    xmp : bytes
        The packet, in UTF-8.
    """
    body = b"iTXtXML:com.adobe.xmp\0\0\0\0\0" + xmp
    chunk = struct.pack(">I", len(body) - 4) + body + struct.pack(">I", zlib.crc32(body))
    end = file.seek(0, 2)
    # What lies behind moves from its end on, so that nothing is overwritten before it is read.
    while end > _BEHIND_HEADER:
        start = max(end - _BLOCK, _BEHIND_HEADER)
        file.seek(start)
        block = file.read(end - start)
        file.seek(start + len(chunk))
        file.write(block)
        end = start
    file.seek(_BEHIND_HEADER)
    file.write(chunk)
