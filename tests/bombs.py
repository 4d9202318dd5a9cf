"""Small files that ask for much: time, memory, depth. Each must be refused, or read, at once."""

from __future__ import annotations

import io
import struct
import zlib

import numpy as np
from PIL import Image

_PLAIN = {  # of a grey picture of 8 x 8 pixels, whose samples follow the header
    256: (3, 1, 8), 257: (3, 1, 8), 258: (3, 1, 8), 259: (3, 1, 1), 262: (3, 1, 1),
    273: (4, 1, 8), 277: (3, 1, 1), 278: (3, 1, 8), 279: (4, 1, 64),
}  # fmt: skip


def directory(entries, following=0):
    """Return the bytes of a TIFF directory; entries are (tag, kind, count, value or offset)."""
    packed = b"".join(struct.pack("<HHII", *entry) for entry in entries)
    return struct.pack("<H", len(entries)) + packed + struct.pack("<I", following)


def tiff(extra=(), behind=b"", *, at=72):
    """Return a grey TIFF of 8 x 8 pixels with more entries, and bytes behind its directory."""
    entries = sorted([(tag, *rest) for tag, rest in _PLAIN.items()] + list(extra))
    return struct.pack("<2sHI", b"II", 42, at) + bytes(64) + directory(entries) + behind


def end_of(extra):
    """Return where the bytes behind the directory of `tiff` lie."""
    return 72 + 2 + 12 * (len(_PLAIN) + extra) + 4


def looping_exif(count=2000):
    """Return a TIFF whose EXIF directory points to itself many times."""
    at = end_of(1)
    return tiff([(34665, 4, 1, at)], directory([(34665, 4, 1, at)] * count))


def looping_gps(count=2000):
    """Return a TIFF in which EXIF and GPS directories point to each other."""
    first = end_of(2)
    second = first + 2 + 12 * count + 4
    one, two = [(34853, 4, 1, second)] * count, [(34665, 4, 1, first)] * count
    extra = [(34665, 4, 1, first), (34853, 4, 1, second)]
    return tiff(extra, directory(one) + directory(two))


def overlapping_values(count=8000, size=600_000):
    """Return a TIFF with many values that are all the same large stretch of the file."""
    extra = [(20_000 + k, 7, size, end_of(count)) for k in range(count)]
    return tiff(extra, bytes(size))


def overlapping_exif(count=8000, size=600_000):
    """Return the same inside the EXIF directory."""
    at = end_of(1)
    entries = [(20_000 + k, 7, size, at + 2 + 12 * count + 4) for k in range(count)]
    return tiff([(34665, 4, 1, at)], directory(entries) + bytes(size))


def many_pages(size=1_200_000, entries=1):
    """Return a TIFF of as many pages as fit, each of few entries."""
    data = bytearray(tiff())
    struct.pack_into("<I", data, len(data) - 4, len(data))
    width = 2 + 12 * entries + 4
    filler = [(256 + k, 3, 1, 8) for k in range(entries)]
    count = (size - len(data)) // width
    for k in range(count):
        data += directory(filler, len(data) + width if k < count - 1 else 0)
    return bytes(data)


def whole_pages(size=1_200_000):
    """Return a TIFF of as many whole pages as fit, all of the same pixels."""
    data = bytearray(tiff())
    struct.pack_into("<I", data, len(data) - 4, len(data))
    entries = [(tag, *rest) for tag, rest in _PLAIN.items()]
    width = len(directory(entries))
    count = (size - len(data)) // width
    for k in range(count):
        data += directory(entries, len(data) + width if k < count - 1 else 0)
    return bytes(data)


def overlapping_pages(size=600_000):
    """Return a TIFF whose pages are large directories that lie over one another."""
    entries = 30_000
    data = bytearray(tiff())
    struct.pack_into("<I", data, len(data) - 4, len(data))
    start = len(data)
    data += struct.pack("<HHII", 256, 3, 1, 8) * (size // 12)
    for k in range(0, len(data) - start - 12 * entries - 6, 14):
        here = start + k
        struct.pack_into("<H", data, here, entries)
        struct.pack_into("<I", data, here + 2 + 12 * entries, here + 14)
    return bytes(data)


def many_levels(count=60_000):
    """Return a TIFF that claims very many sizes of itself."""
    return tiff([(330, 4, count, end_of(1))], struct.pack(f"<{count}I", *[72] * count))


def huge_counts():
    """Return a TIFF whose values claim four billion numbers each."""
    return tiff([(20_000 + k, 4, 0xFFFFFFFF, 8) for k in range(50)])


def wide_directory():
    """Return a BigTIFF whose directory claims more entries than there are bytes on earth."""
    head = struct.pack("<2sHHHQ", b"II", 43, 8, 0, 16)
    return head + struct.pack("<Q", 2**62) + bytes(1000)


def large_tile():
    """Return a TIFF of one tile that is far larger than the picture."""
    return tiff([(322, 4, 1, 2**20), (323, 4, 1, 2**20), (324, 4, 1, 8), (325, 4, 1, 64)])


def jpeg(exif=b"", xmp=b"", icc=b"", repeat=1):
    """Return a small JPEG with segments of metadata, each repeated."""
    file = io.BytesIO()
    Image.fromarray(np.zeros((16, 16, 3), np.uint8)).save(file, "jpeg")
    data = file.getvalue()
    parts = [(0xE1, exif), (0xE1, xmp), (0xE2, icc)]
    segments = b"".join(
        bytes((0xFF, kind)) + struct.pack(">H", len(body) + 2) + body
        for kind, body in parts for _ in range(repeat) if body
    )  # fmt: skip
    return data[:2] + segments + data[2:]


def jpeg_looping_exif(count=2000):
    """Return a JPEG whose EXIF directory points to itself many times."""
    head = b"II*\0" + struct.pack("<I", 8)
    body = directory([(34665, 4, 1, 26)]) + directory([(34665, 4, 1, 26)] * count)
    return jpeg(b"Exif\0\0" + head + body)


def jpeg_overlapping_exif(count=4000, size=16_000):
    """Return a JPEG whose EXIF values all are the same stretch."""
    at = 8 + 2 + 12 * count + 4
    entries = [(20_000 + k, 7, size, at) for k in range(count)]
    return jpeg(b"Exif\0\0" + b"II*\0" + struct.pack("<I", 8) + directory(entries) + bytes(size))


def jpeg_large():
    """Return a JPEG that claims to have 65,500 x 65,500 pixels."""
    data = bytearray(jpeg())
    at = data.index(b"\xff\xc0") + 5
    struct.pack_into(">HH", data, at, 65_500, 65_500)
    return bytes(data)


def png(chunks=(), size=(8, 8), samples=None):
    """Return a grey PNG with more chunks behind its header."""
    rows, cols = size
    header = struct.pack(">IIBBBBB", cols, rows, 8, 0, 0, 0, 0)
    samples = zlib.compress(bytes(rows * (cols + 1))) if samples is None else samples
    parts = [(b"IHDR", header), *chunks, (b"IDAT", samples), (b"IEND", b"")]
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))
        for kind, body in parts
    )


def zeros(size):
    """Return very many zeros, compressed: one block, which is repeated, and their Adler-32."""
    packer = zlib.compressobj(9, wbits=-15)
    block = packer.compress(bytes(2**20)) + packer.flush(zlib.Z_FULL_FLUSH)
    checksum = struct.pack(">I", (size % 65521) << 16 | 1)
    return b"\x78\xda" + block * (size // 2**20) + packer.flush() + checksum


def png_profile():
    """Return a PNG whose profile is 1 GB of zeros, compressed to 1 MB."""
    return png([(b"iCCP", b"bomb\0\0" + zeros(2**30))])


def png_text(count=1):
    """Return a PNG whose XMP is 1 GB of zeros, compressed to 1 MB."""
    body = b"XML:com.adobe.xmp\0\1\0\0\0" + zeros(2**30)
    return png([(b"iTXt", body)] * count)


def png_chunks(count=100_000):
    """Return a PNG of very many small texts."""
    return png([(b"tEXt", b"a%d\0b" % k) for k in range(count)])


def png_large():
    """Return a PNG that claims 2 billion pixels, and holds zeros for them in 2 MB."""
    return png(size=(50_000, 40_000), samples=zeros(2_000 * 2**20))


def png_wide():
    """Return a PNG of one row that claims 2 billion columns."""
    header = struct.pack(">IIBBBBB", 2**31 - 1, 1, 16, 6, 0, 0, 0)
    body = png()
    return (
        body[:8] + struct.pack(">I", 13) + b"IHDR" + header
        + struct.pack(">I", zlib.crc32(b"IHDR" + header)) + body[33:]
    )  # fmt: skip


def deep_xmp(depth=100_000):
    """Return a JPEG whose XMP is nested very deeply."""
    depth = min(depth, 9_000)
    return jpeg(xmp=b"http://ns.adobe.com/xap/1.0/\0" + b"<a>" * depth + b"</a>" * depth)


def entities_xmp():
    """Return a JPEG whose XMP defines entities that grow without bound."""
    lines = [b'<!ENTITY a0 "aaaaaaaaaa">']
    for k in range(1, 12):
        lines.append(b'<!ENTITY a%d "%s">' % (k, b"&a%d;" % (k - 1) * 10))
    text = b"<!DOCTYPE x [" + b"".join(lines) + b"]><x>&a11;</x>"
    return jpeg(xmp=b"http://ns.adobe.com/xap/1.0/\0" + text)


def large_xmp(size=40_000_000):
    """Return a TIFF whose XMP has very many elements."""
    text = b"<x>" + b"<a/>" * (size // 4) + b"</x>"
    return tiff([(700, 1, len(text), end_of(1))], text)


def webp_frames(count=20_000):
    """Return a WebP that claims to be an animation of very many frames."""
    file = io.BytesIO()
    frames = [Image.fromarray(np.full((4, 4, 3), k, np.uint8)) for k in range(2)]
    frames[0].save(file, "webp", save_all=True, append_images=frames[1:], lossless=True)
    data = file.getvalue()
    at = data.index(b"ANMF")
    size = struct.unpack_from("<I", data, at + 4)[0] + 8
    frame = data[at : at + size + size % 2]
    body = data[8:at] + frame * count
    return b"RIFF" + struct.pack("<I", len(body)) + body


BOMBS = {
    "looping-exif.tif": looping_exif,
    "looping-gps.tif": looping_gps,
    "overlapping-values.tif": overlapping_values,
    "overlapping-exif.tif": overlapping_exif,
    "many-pages.tif": many_pages,
    "whole-pages.tif": whole_pages,
    "overlapping-pages.tif": overlapping_pages,
    "many-levels.tif": many_levels,
    "huge-counts.tif": huge_counts,
    "wide-directory.tif": wide_directory,
    "large-tile.tif": large_tile,
    "large-xmp.tif": large_xmp,
    "looping-exif.jpg": jpeg_looping_exif,
    "overlapping-exif.jpg": jpeg_overlapping_exif,
    "large.jpg": jpeg_large,
    "deep-xmp.jpg": deep_xmp,
    "entities-xmp.jpg": entities_xmp,
    "profile.png": png_profile,
    "text.png": png_text,
    "chunks.png": png_chunks,
    "large.png": png_large,
    "wide.png": png_wide,
    "frames.webp": webp_frames,
}
