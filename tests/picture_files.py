"""Picture files for tests: metadata, noise, and a decoder of PNG that shares no code with ours."""

from __future__ import annotations

import struct
import zlib

import numpy as np
import pyvips
from PIL import Image

from osmofuse.picture import Metadata, Picture


def icc_profile(space, elements):
    """Build an ICC profile, version 2, for a display."""
    names, start = b"", 132 + 12 * len(elements)
    body = b""
    for name, data in elements.items():
        padded = data + bytes(-len(data) % 4)
        names += name + struct.pack(">2I", start + len(body), len(padded))
        body += padded
    header = bytearray(128)
    struct.pack_into(">I", header, 0, start + len(body))
    header[8:12], header[12:24] = b"\x02\x10\0\0", b"mntr" + space + b"XYZ "
    header[36:40] = b"acsp"
    header[68:80] = struct.pack(">3i", *(round(n * 65536) for n in (0.9642, 1, 0.8249)))
    return bytes(header) + struct.pack(">I", len(elements)) + names + body


def xyz(*numbers):
    return b"XYZ \0\0\0\0" + struct.pack(">3i", *(round(n * 65536) for n in numbers))


def described(name):
    text = name.encode() + b"\0"
    return b"desc\0\0\0\0" + struct.pack(">I", len(text)) + text + bytes(78)


def gamma_curve(gamma):
    return b"curv\0\0\0\0" + struct.pack(">IH", 1, round(gamma * 256))


def grey_profile(gamma=2.2):
    return icc_profile(
        b"GRAY",
        {b"desc": described("Grey 2.2"), b"cprt": b"text\0\0\0\0none\0",
         b"wtpt": xyz(0.9642, 1, 0.8249), b"kTRC": gamma_curve(gamma)},
    )  # fmt: skip


PROFILE, GREY_PROFILE = bytes(pyvips.Image.profile_load("p3")), grey_profile()
XMP = b"<x:xmpmeta xmlns:x='adobe:ns:meta/'><!-- folio 12v --></x:xmpmeta>"
IPTC = b"\x1c\x02\x78\x00\x09folio 12v\x1c\x02\x50\x00\x03Ada"
RESOLUTION = (11.8, 23.6)  # 300 and 600 dpi, nearly


def exif(**details):
    """Build EXIF with an independent writer."""
    tags = Image.Exif()
    tags[271], tags[306], tags[33432] = "Phase One", "2024:05:06 07:08:09", "The Library"
    for tag, value in details.items():
        tags[int(tag[1:])] = value
    tags.get_ifd(0x8769)[33434] = 0.5  # exposure time
    tags.get_ifd(0x8769)[36867] = "2024:05:06 07:08:09"
    tags.get_ifd(0x8825)[1] = "N"
    return tags.tobytes().removeprefix(b"Exif\0\0")


def opened_exif(data):
    tags = Image.Exif()
    tags.load(b"Exif\0\0" + data)
    return tags


def noise(shape, dtype):
    rng = np.random.default_rng(0)
    dtype = np.dtype(dtype)
    if dtype.kind == "f":
        return (rng.standard_normal(shape) * 3).astype(dtype)
    return rng.integers(0, np.iinfo(dtype).max, shape, dtype=dtype, endpoint=True)


def png_chunks(data):
    """Take a PNG apart into its chunks, by name and content."""
    chunks, at = [], 8
    while at < len(data):
        (size,) = struct.unpack_from(">I", data, at)
        chunks.append((data[at + 4 : at + 8], data[at + 8 : at + 8 + size]))
        at += size + 12
    return chunks


def png_pixels(data):
    """Decode a non-interlaced PNG of 8 or 16 bits with nothing but zlib."""
    chunks = png_chunks(data)
    cols, rows, bits, kind = struct.unpack_from(">IIBB", dict(chunks)[b"IHDR"])
    bands = {0: 1, 2: 3, 4: 2, 6: 4}[kind]
    step = bands * bits // 8
    raw = zlib.decompress(b"".join(body for name, body in chunks if name == b"IDAT"))
    lines = np.frombuffer(raw, np.uint8).reshape(rows, 1 + cols * step).astype(int)
    above, out = [0] * (cols * step), []
    for filter_kind, *line in lines.tolist():
        for i in range(len(line)):
            a, b, c = (line[i - step], above[i], above[i - step]) if i >= step else (0, above[i], 0)
            nearest = min((a, b, c), key=lambda x, p=a + b - c: abs(p - x))
            line[i] = (line[i] + (0, a, b, (a + b) // 2, nearest)[filter_kind]) % 256
        above = line
        out.append(line)
    pixels = np.array(out, np.uint8).view(f">u{bits // 8}")
    return pixels.reshape((rows, cols) if bands == 1 else (rows, cols, bands))


def full(pixels, **kwargs):
    metadata = Metadata(exif=exif(), xmp=XMP, iptc=IPTC, resolution=RESOLUTION)
    return Picture(pixels, PROFILE, metadata, **kwargs)


# What each orientation asks for, by the name of the tag's value.
TURNS = {
    1: lambda a: a,
    2: lambda a: a[:, ::-1],
    3: lambda a: a[::-1, ::-1],
    4: lambda a: a[::-1],
    5: lambda a: np.swapaxes(a, 0, 1),
    6: lambda a: np.rot90(a, -1),
    7: lambda a: np.swapaxes(a[::-1, ::-1], 0, 1),
    8: np.rot90,
}
