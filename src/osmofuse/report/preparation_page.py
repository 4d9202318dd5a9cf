"""Pages of jobs that do not fuse: an alignment, a matte, a picture made from others."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from osmofuse.io import Staging
from osmofuse.maps.foreground_colours import foreground_colours
from osmofuse.picture import Picture, as_alpha, samples
from osmofuse.pixels import quantise
from osmofuse.registration import Alignment, Quality
from osmofuse.report.document import Document, write_document
from osmofuse.report.facts import UNKNOWN, Provenance, definitions
from osmofuse.report.layers import PAGE_SIDE, Layer, layers_of, tint_uri
from osmofuse.report.overlays import flicker, in_squares, overlay
from osmofuse.report.sections import contact_section
from osmofuse.typing import Array, ArrayLike

_GROUND = 0.5  # grey behind a cut-out


def write_alignment(
    folder: str | PathLike[str],
    *,
    alignment: Alignment,
    foreground: ArrayLike | Picture,
    provenance: Provenance = UNKNOWN,
    overwrite: bool = False,
    staging: Staging | None = None,
) -> Path:
    """Write the report of an alignment: both pictures, a checkerboard, and the figures of quality.

    The pictures are for looking at: each is stretched between its 0.1th and 99.9th percentile,
    and reduced to at most 4096 pixels a side.

    Parameters
    ----------
    alignment : Alignment
        Result of `osmofuse.align`, not refused.
    foreground : array or Picture
        Fixed picture of the alignment.
    folder, provenance, overwrite, staging
        As for `write_report`.

    Returns
    -------
    Path
        The page.
    """
    if alignment.image is None:
        raise ValueError("a refused alignment has no picture to show")
    beside, moved = flicker(foreground, alignment.image, valid=alignment.valid, longest=PAGE_SIDE)
    figures = alignment.quality
    layers = layers_of(
        {"Foreground": beside, "Aligned": moved, "Checkerboard": in_squares(beside, moved)}
    )
    document = Document(
        title=provenance.title or "A picture aligned to another",
        lede=[
            f"{_level(figures)}: {figures['agreement']:.0%} of {figures['tiles']:.0f} places fit"
        ],
        size=(alignment.image.shape[0], alignment.image.shape[1]),
        layers=layers,
        first=("Foreground", "Aligned"),
        sections=[_pictures_section(layers, "Foreground"), _fit_section(alignment)],
        provenance=provenance,
    )
    return write_document(folder, document, overwrite=overwrite, staging=staging)


def _pictures_section(layers: Mapping[str, Layer], beside: str) -> str:
    """Return thumbnails of all layers but the one they are compared with."""
    others = {role: layer for role, layer in layers.items() if role != beside}
    return contact_section("At a glance", others, layers[beside].name)


def _fit_section(alignment: Alignment) -> str:
    """Return the figures of an alignment in words, and its matrix."""
    figures, kind, matrix = alignment.quality, "", ""
    if alignment.transform is not None:
        kind = alignment.transform.kind
        bent = alignment.transform.deformation is not None
        kind += ", and a smooth deformation" if bent else ""
        matrix = _matrix(alignment.transform.matrix)
    facts = {
        "Status": str(alignment.status),
        "Found by": alignment.origin,
        "Transform": kind,
        "Quality": f"{_level(figures)}, {figures.error}",
        "Places that fit": f"{figures['agreement']:.0%} of {figures['tiles']:.0f}",
        "Uncertainty": f"{figures['uncertainty']:.2f} pixels at the corners",
        "Overlap": f"{figures['overlap']:.0%} of the smaller picture",
        "Score": f"{alignment.score:.3f}, of 1",
    }
    if "points_residual" in figures:
        off = f"{figures['points_residual']:.2f} pixels"
        facts["Control points"] = f"{figures['points']:.0f}, which fit to {off}"
    return (
        '<section class="two"><div><h2>Quality of the fit</h2><p>Pictures are shown stretched '
        "between their darkest and brightest thousandth. In the view Blink, what jumps does not "
        "fit; on the checkerboard, lines that break.</p>"
        f"{definitions(facts)}</div>{matrix}</section>"
    )


def _level(quality: Quality) -> str:
    """Return the level of an alignment in words."""
    return {"good": "Good fit", "look closely": "Look closely", "refused": "Refused"}[quality.level]


def _matrix(matrix: Array) -> str:
    rows = "".join(
        "<tr>" + "".join(f'<td class="number">{float(value):.6g}</td>' for value in row) + "</tr>"
        for row in matrix
    )
    words = "From points (x, y, 1) of the background to the foreground, in pixels."
    return (
        f"<div><h2>The transform</h2><p>{escape(words)}</p>"
        f'<table class="matrix"><tbody>{rows}</tbody></table></div>'
    )


def write_matte(
    folder: str | PathLike[str],
    *,
    image: ArrayLike | Picture,
    trimap: ArrayLike | Picture,
    alpha: ArrayLike,
    facts: Mapping[str, str] | None = None,
    provenance: Provenance = UNKNOWN,
    overwrite: bool = False,
    staging: Staging | None = None,
) -> Path:
    """Write the report of a matte: picture, trimap, map and cut-out.

    Parameters
    ----------
    image : array or Picture
        Picture that was matted.
    trimap : array or Picture
        Trimap of the matte.
    alpha : array, (rows, cols)
        The map.
    facts : mapping of str to str, optional
        Further facts for the page.
    folder, provenance, overwrite, staging
        As for `write_report`.

    Returns
    -------
    Path
        The page.
    """
    pictures: dict[str, Any] = {
        "Picture": image,
        "Trimap": trimap,
        "Alpha map": alpha,
        "Overlay": overlay(image, alpha),
        "Cut out": _cut_out(image, alpha),
    }
    tint, layers = tint_uri(alpha), layers_of(pictures)
    document = Document(
        title=provenance.title or "A matte",
        lede=[],
        layers=layers,
        first=("Picture", "Cut out"),
        sections=[_pictures_section(layers, "Picture"), _facts_section(facts or {})],
        tint=None if tint is None else (tint, "What is not kept"),
        provenance=provenance,
    )
    return write_document(folder, document, overwrite=overwrite, staging=staging)


def write_pictures(
    folder: str | PathLike[str],
    pictures: Mapping[str, ArrayLike | Picture],
    *,
    provenance: Provenance = UNKNOWN,
    overwrite: bool = False,
    staging: Staging | None = None,
) -> Path:
    """Write the report of a picture that was made from others.

    Parameters
    ----------
    pictures : mapping of str to array or Picture
        By title, the result last; all of one size.
    folder, provenance, overwrite, staging
        As for `write_report`.

    Returns
    -------
    Path
        The page.
    """
    layers = layers_of(pictures)
    first, *_, last = (next(iter(pictures)), *pictures)
    document = Document(
        title=provenance.title or last,
        lede=[],
        layers=layers,
        first=(first, last),
        sections=[_pictures_section(layers, first)] if len(layers) > 1 else [],
        provenance=provenance,
    )
    return write_document(folder, document, overwrite=overwrite, staging=staging)


def _cut_out(image: ArrayLike | Picture, alpha: ArrayLike) -> Picture:
    """Return the cut-out on plain grey, in the picture's own colour space."""
    x, a = samples(image, "image"), as_alpha(alpha)
    weight = a if x.ndim == 2 else a[..., np.newaxis]
    shown = weight * foreground_colours(x, a) + (1.0 - weight) * _GROUND
    profile = image.profile if isinstance(image, Picture) else None
    return Picture(quantise(shown, np.uint8)[0], profile)


def _facts_section(facts: Mapping[str, str]) -> str:
    if not facts:
        return ""
    return f'<section aria-labelledby="map"><h2 id="map">The map</h2>{definitions(facts)}</section>'
