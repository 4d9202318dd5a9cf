"""Limits that a file must keep, checked from its header before any pixel is decoded."""

from __future__ import annotations

from dataclasses import dataclass

from osmofuse.errors import LimitError
from osmofuse.io.description import Description

__all__ = ["Limits", "check"]


@dataclass(frozen=True)
class Limits:
    """Limits of what a picture file may ask for.

    Parameters
    ----------
    pixels : int
        Rows times columns.
    bands : int
        Bands, transparency included.
    bytes : int
        Memory of the decoded picture.
    seconds : float
        Time that an isolated decoder may take, see `osmofuse.io.read`.
    """

    pixels: int = 1_000_000_000
    bands: int = 64
    bytes: int = 16 * 2**30
    seconds: float = 120.0


def check(found: Description, limits: Limits) -> None:
    """Refuse a file that is larger than allowed.

    Parameters
    ----------
    found : Description
        What the header says.
    limits : Limits
        What is allowed.

    Raises
    ------
    LimitError
        With the file's name and the limit to raise.
    """
    asked = (
        ("pixels", found.rows * found.cols, limits.pixels),
        ("bands", found.bands, limits.bands),
        ("bytes", found.decoded_bytes, limits.bytes),
    )
    for name, number, most in asked:
        if number > most:
            raise LimitError(
                f"{found.path}: {number:,} {name} are more than the limit of {most:,}; if you "
                f"trust the file, raise the limit with Limits({name}={number}), else reduce it"
            )
