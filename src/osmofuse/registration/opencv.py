"""OpenCV, from whichever package provides it: an extra brings one."""

from __future__ import annotations

from typing import Any

from osmofuse.errors import MissingExtraError


def opencv() -> Any:
    """Return the module of OpenCV, or raise with the command that installs it."""
    try:
        import cv2
    except ImportError as error:
        raise MissingExtraError(
            "registration needs OpenCV: pip install 'osmofuse[opencv]', or any other package that "
            "provides cv2"
        ) from error
    return cv2
