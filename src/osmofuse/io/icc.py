"""ICC profiles: name, colour space, tone curves and primaries; a linear profile for writing."""

from __future__ import annotations

import struct
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from typing import TypeAlias

import numpy as np

from osmofuse.typing import FloatArray

# Function from encoded samples to linear light, and its inverse.
Curve: TypeAlias = tuple[Callable[[FloatArray], FloatArray], Callable[[FloatArray], FloatArray]]

# Number of parameters of each kind of parametric curve, by the ICC specification.
_PARAMETERS = {0: 1, 1: 3, 2: 4, 3: 5, 4: 7}


def colour_space(profile: bytes) -> str:
    """Return the colour space that a profile describes: "RGB", "GRAY", "CMYK", ..."""
    return profile[16:20].decode("latin-1").strip()


def is_sound(profile: bytes) -> bool:
    """Return True if a profile has the ICC signature and its stated length."""
    return profile[36:40] == b"acsp" and 128 < int.from_bytes(profile[:4], "big") <= len(profile)


def profile_name(profile: bytes | None) -> str | None:
    """Return the name stored in a profile, or "unnamed profile"; None without a profile."""
    if not profile:
        return None
    data, text = _element(profile, b"desc"), ""
    with suppress(struct.error):
        if data[:4] == b"mluc":  # several languages; the first
            size, start = struct.unpack_from(">2I", data, 20)
            text = data[start : start + size].decode("utf-16-be", "replace")
        elif data:
            (size,) = struct.unpack_from(">I", data, 8)
            text = data[12 : 12 + size].decode("latin-1")
    return text.strip("\0 ") or "unnamed profile"


@cache
def linear_srgb() -> bytes:
    """Return an ICC profile, version 2, for linear light with the primaries of sRGB."""
    text = b"Linear light, primaries of sRGB\0"
    white, curve = (0.9642, 1.0, 0.8249), b"curv" + bytes(8)  # no entries: the identity
    elements = {
        b"desc": b"desc\0\0\0\0" + struct.pack(">I", len(text)) + text + bytes(78),
        b"cprt": b"text\0\0\0\0Public domain\0",
        b"wtpt": _xyz(white),
        # Adapted to D50 by Bradford's method, as in IEC 61966-2-1 with Amendment 1.
        b"rXYZ": _xyz((0.4360747, 0.2225045, 0.0139322)),
        b"gXYZ": _xyz((0.3850649, 0.7168786, 0.0971045)),
        b"bXYZ": _xyz((0.1430804, 0.0606169, 0.7141733)),
        **dict.fromkeys((b"rTRC", b"gTRC", b"bTRC"), curve),
    }
    table, body, start = b"", b"", 132 + 12 * len(elements)
    for name, data in elements.items():
        table += name + struct.pack(">2I", start + len(body), len(data))
        body += data + bytes(-len(data) % 4)
    header = struct.pack(
        ">I4x4s12s12x4s28x12s48x",
        start + len(body), b"\x02\x10\0\0", b"mntrRGB XYZ ", b"acsp", _xyz(white)[8:],
    )  # fmt: skip
    return header + struct.pack(">I", len(elements)) + table + body


def _xyz(numbers: tuple[float, float, float]) -> bytes:
    return b"XYZ \0\0\0\0" + struct.pack(">3i", *(round(n * 65536) for n in numbers))


def tone_curves(profile: bytes) -> tuple[Curve, ...]:
    """Return the tone curves of a matrix or grey profile: for red, green and blue, or for grey.

    Empty if there are none, or not all are invertible.
    """
    names = (b"kTRC",) if colour_space(profile) == "GRAY" else (b"rTRC", b"gTRC", b"bTRC")
    try:
        curves = [_curve(_element(profile, name)) for name in names]
    except struct.error:
        return ()
    return tuple(curve for curve in curves if curve) if all(curves) else ()


def colorants(profile: bytes) -> FloatArray | None:
    """Return the primaries of a profile of curves and a matrix: (3, 3), from linear RGB to XYZ.

    None if the profile has lookup tables, which take precedence.
    """
    tables = (b"A2B0", b"A2B1", b"B2A0", b"B2A1")
    columns = [_element(profile, name)[8:20] for name in (b"rXYZ", b"gXYZ", b"bXYZ")]
    if any(_element(profile, name) for name in tables) or any(len(xyz) < 12 for xyz in columns):
        return None
    matrix = np.array([struct.unpack(">3i", xyz) for xyz in columns]).T / 65536
    return matrix if abs(np.linalg.det(matrix)) > 1e-6 else None


def parametric(
    g: float, a: float = 1, b: float = 0, c: float = 0, d: float = 0, e: float = 0, f: float = 0
) -> Curve:
    r"""Return the curve :math:`(a x + b)^g + e` for :math:`x \ge d`, and :math:`c x + f` below.

    Parameters are those of ICC's parametric curve of type 4; above 1 the power law continues.
    """
    bend = c * d + f

    def decode(x: FloatArray) -> FloatArray:
        power = np.maximum(a * x + b, 0) ** g + e
        return np.asarray(np.where(x >= d, power, c * x + f))

    def encode(y: FloatArray) -> FloatArray:
        power = (np.maximum(y - e, 0) ** (1 / g) - b) / a
        return np.asarray(np.where(y >= bend, power, (y - f) / c if c else d))

    return decode, encode


def _curve(data: bytes) -> Curve | None:
    if data[:4] == b"curv":
        (count,) = struct.unpack_from(">I", data, 8)
        values = np.frombuffer(data[12 : 12 + 2 * count], ">u2").astype(np.float64)
        if count <= 1:
            g = values[0] / 256 if len(values) else 1.0
            return parametric(float(g)) if g > 0 else None
        return _tabulated(values / 65535) if len(values) == count else None
    if data[:4] == b"para":
        (kind,) = struct.unpack_from(">H", data, 8)
        count = _PARAMETERS.get(kind, 0)
        numbers = [n / 65536 for n in struct.unpack_from(f">{count}i", data, 12)]
        return _of_kind(kind, numbers) if numbers and numbers[0] > 0 else None
    return None


def _of_kind(kind: int, numbers: list[float]) -> Curve | None:
    """Return a parametric curve of any of the five kinds, in terms of the most general one."""
    if kind == 0:
        return parametric(numbers[0])
    g, a, b = numbers[:3]
    if a <= 0:
        return None
    if kind < 3:
        floor = numbers[3] if kind == 2 else 0.0
        return parametric(g, a, b, 0.0, -b / a, floor, floor)
    return parametric(*numbers)


def _tabulated(table: FloatArray) -> Curve | None:
    if (np.diff(table) < 0).any() or table[-1] <= table[0]:
        return None
    grid = np.linspace(0, 1, len(table))
    # Above white both continue linearly. The least slope keeps the inverse finite where a table
    # ends flat; anything in 1e-4..0.1 works.
    slope = max((table[-1] - table[-2]) / (grid[-1] - grid[-2]), 1e-3)

    def decode(x: FloatArray) -> FloatArray:
        return np.asarray(np.interp(x, grid, table) + np.maximum(x - 1, 0) * slope)

    def encode(y: FloatArray) -> FloatArray:
        return np.asarray(np.interp(y, table, grid) + np.maximum(y - table[-1], 0) / slope)

    return decode, encode


def _element(profile: bytes, name: bytes) -> bytes:
    """Return an element of a profile; empty if it is missing or beyond the end."""
    with suppress(struct.error):
        (count,) = struct.unpack_from(">I", profile, 128)
        for at in range(132, 132 + 12 * min(count, 1000), 12):
            found, start, size = struct.unpack_from(">4s2I", profile, at)
            if found == name:
                return profile[start : start + size]
    return b""
