"""Damaged picture files, each the same for the same seed, and a process that reads many of them."""

from __future__ import annotations

import io
import json
import resource
import struct
import subprocess
import sys
import time
import zlib
from pathlib import Path

import cv2
import numpy as np
import tifffile
from PIL import Image

HUGE = 0x7FFFFFF0


def whole_files():
    """Make small files of many kinds, by several writers."""
    rng = np.random.default_rng(0)
    deep = rng.integers(0, 65536, (48, 64, 3)).astype(np.uint16)
    flat = (deep >> 8).astype(np.uint8)
    files = {}
    layouts = {
        "strips": {}, "tiles": {"tile": (16, 32)}, "big": {"bigtiff": True},
        "deflate": {"compression": "zlib"}, "other-end": {"byteorder": ">"},
    }  # fmt: skip
    for name, options in layouts.items():
        for pixels in (deep, flat.astype(np.float32), flat.astype(np.float64)):
            files[f"{name}-{pixels.dtype}.tif"] = _tiff(pixels, options)
    for name in ("tiff_lzw", "jpeg", "packbits"):
        files[f"{name}.tif"] = _pillow(flat, "tiff", compression=name)
    files["deep.png"] = cv2.imencode(".png", deep)[1].tobytes()
    files["flat.png"] = _pillow(flat, "png")
    files["palette.png"] = _pillow(flat, "png", palette=True)
    files["plain.jpg"] = _pillow(flat, "jpeg", dpi=(300, 300))
    files["progressive.jpg"] = _pillow(flat, "jpeg", progressive=True)
    files["lossless.webp"] = _pillow(flat, "webp", lossless=True)
    files["lossy.webp"] = _pillow(flat, "webp")
    return files


def _tiff(pixels, options):
    file = io.BytesIO()
    tags = [(271, "s", 0, "Phase One", True), (34735, "H", 4, (1, 1, 0, 0), True)]
    tifffile.imwrite(file, pixels, photometric="rgb", metadata=None, extratags=tags, **options)
    return file.getvalue()


def _pillow(pixels, kind, *, palette=False, **options):
    file = io.BytesIO()
    picture = Image.fromarray(pixels)
    (picture.quantize(16) if palette else picture).save(file, kind, **options)
    return file.getvalue()


def truncated(data, rng):
    return data[: rng.integers(0, len(data))]


def flipped(data, rng):
    """Flip a few bits, half of the time only near the beginning, where the header is."""
    damaged, end = bytearray(data), len(data) if rng.random() < 0.5 else min(len(data), 300)
    for at in rng.integers(0, end, rng.integers(1, 9)):
        damaged[at] ^= 1 << rng.integers(8)
    return bytes(damaged)


def wiped(data, rng):
    """Replace a stretch by zeros or noise."""
    start = rng.integers(0, len(data))
    size = min(rng.integers(1, 400), len(data) - start)
    filler = bytes(size) if rng.random() < 0.5 else rng.bytes(size)
    return data[:start] + filler + data[start + size :]


def misdeclared(data, rng):
    """State another size, depth or number of bands than the file has."""
    number = int(rng.choice([0, 1, 7, 65, 65535, 10**6, HUGE]))
    if data[:4] in (b"II*\0", b"MM\0*", b"II+\0"):
        return _misdeclared_tiff(
            data, int(rng.choice([256, 257, 258, 259, 277, 278, 322, 339])), number
        )
    if data.startswith(b"\x89PNG"):
        header = bytearray(data[12:29])
        struct.pack_into(">I", header, 4 + 4 * rng.integers(2), number)
        return data[:12] + header + struct.pack(">I", zlib.crc32(header)) + data[33:]
    damaged = bytearray(data)
    marker = max(data.find(b"\xff\xc0"), data.find(b"\xff\xc2"))
    at = marker + 5 + 2 * rng.integers(2) if marker > 0 else 26
    struct.pack_into(">H", damaged, at, number & 0xFFFF)
    return bytes(damaged)


def _misdeclared_tiff(data, tag, number):
    """Change the inline value of a tag in the first directory."""
    order, big = (">" if data[:2] == b"MM" else "<"), data[2] == 43
    at, size, value = (16, 20, 12) if big else (8, 12, 8)
    (at,) = struct.unpack_from(order + ("Q" if big else "I"), data, 8 if big else 4)
    (count,) = struct.unpack_from(order + ("Q" if big else "H"), data, at)
    at += 8 if big else 2
    damaged = bytearray(data)
    for entry in range(at, at + count * size, size):
        found, kind = struct.unpack_from(order + "HH", data, entry)
        if found == tag:
            form = {3: "H", 4: "I", 16: "Q"}.get(kind, "I")
            most = 2 ** (8 * struct.calcsize(form)) - 1
            struct.pack_into(order + form, damaged, entry + value, min(number, most))
    return bytes(damaged)


DAMAGES = (truncated, flipped, wiped, misdeclared)


def damaged_files(folder, count, seed):
    """Write damaged files into a folder, and return their paths."""
    rng, files = np.random.default_rng(seed), list(whole_files().items())
    paths = []
    for index in range(count):
        name, data = files[index % len(files)]
        damage = DAMAGES[index // len(files) % len(DAMAGES)]
        path = Path(folder, f"{index:04d}-{damage.__name__}-{name}")
        path.write_bytes(damage(data, rng))
        paths.append(path)
    return paths


def read_in_one_process(paths, memory):
    """Read files in a child with little memory; return what became of each."""
    child = subprocess.run(
        [sys.executable, __file__, str(memory), *map(str, paths)],
        capture_output=True, text=True, timeout=60 + 10 * len(paths), check=False,
    )  # fmt: skip
    lines = [json.loads(line) for line in child.stdout.splitlines()]
    done = len(lines)
    assert child.returncode == 0, f"crashed at {paths[min(done, len(paths) - 1)]}: {child.stderr}"
    assert child.stderr == ""
    return lines


def main(memory, paths):
    from osmofuse.errors import LimitError, UnreadableError
    from osmofuse.io import Limits, read

    resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    limits = Limits(pixels=4_000_000, bytes=64 * 2**20)
    for path in paths:
        start, message = time.process_time(), ""
        try:
            outcome = str(read(path, limits=limits).pixels.dtype)
        except (LimitError, UnreadableError) as error:
            outcome, message = type(error).__name__, str(error)
        seconds = time.process_time() - start
        answer = {"path": path, "outcome": outcome, "message": message, "seconds": seconds}
        sys.stdout.write(json.dumps(answer) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2:])
