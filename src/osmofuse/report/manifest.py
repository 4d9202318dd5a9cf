"""A IIIF manifest: the pictures of a report as layers that museums' viewers show.

It follows the Presentation API 3.0 of the International Image Interoperability Framework: one
canvas, painted with a choice of pictures. A viewer shows the first and offers the others.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from osmofuse.errors import SettingError

__all__ = ["check_address", "iiif_manifest"]

_CONTEXT = "http://iiif.io/api/presentation/3/context.json"


def iiif_manifest(
    layers: Sequence[tuple[str, str]],
    *,
    base: str,
    size: tuple[int, int],
    title: str,
    facts: Mapping[str, str] | None = None,
) -> dict[str, Any]:
    """Return a manifest of pictures of one size.

    Parameters
    ----------
    layers : sequence of (str, str)
        Title and path of PNG files, relative to the base; the first is shown first.
    base : str
        The address under which the folder of the report will be found: http or https.
    size : tuple of int
        Rows and columns of the pictures.
    title : str
        Of the whole.
    facts : mapping of str to str, optional
        What viewers show as metadata.

    Returns
    -------
    dict
        Ready for `json.dumps`.

    Raises
    ------
    SettingError
        The base is no address, or has a query or a fragment.
    """
    check_address(base)
    base = base.rstrip("/")
    canvas, (height, width) = f"{base}/canvas/1", size
    pictures = [
        {
            "id": f"{base}/{path}",
            "type": "Image",
            "format": "image/png",
            "label": _text(label),
            "height": height,
            "width": width,
        }
        for label, path in layers
    ]
    painting = {
        "id": f"{canvas}/painting/1",
        "type": "Annotation",
        "motivation": "painting",
        "body": {"type": "Choice", "items": pictures},
        "target": canvas,
    }
    page = {"id": f"{canvas}/page/1", "type": "AnnotationPage", "items": [painting]}
    metadata = [{"label": _text(k), "value": _text(v)} for k, v in (facts or {}).items()]
    return {
        "@context": _CONTEXT,
        "id": f"{base}/manifest.json",
        "type": "Manifest",
        "label": _text(title),
        **({"metadata": metadata} if metadata else {}),
        "items": [
            {
                "id": canvas,
                "type": "Canvas",
                "label": _text(title),
                "height": height,
                "width": width,
                "items": [page],
            }
        ],
    }


def check_address(base: str) -> None:
    """Refuse what is no address of a folder.

    Raises
    ------
    SettingError
        It is none of http or https, or has a query or a fragment.
    """
    if not re.fullmatch(r"https?://[^\s?#/]+(/[^\s?#]*)?", base):
        raise SettingError(
            f"iiif: {base!r}; give the address at which the report's folder will be found, "
            "like https://museum.example/reports/42"
        )


def _text(words: str) -> dict[str, list[str]]:
    return {"en": [words]}
