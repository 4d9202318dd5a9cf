"""Head in its own coordinates: the relief and markings of one person."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from osmofuse.gallery.texture import bump, mix, smoothstep, tint
from osmofuse.typing import FloatArray


@dataclass(frozen=True)
class Features:
    """Shape of a face; lengths in half heights of the head, 0 = the middle of the face."""

    eye_height: float = 0.062  # half opening of an eye
    eye_width: float = 0.15  # half width of an eye
    eye_apart: float = 0.31  # half distance of the eyes
    iris: tuple[float, float, float] = (0.30, 0.42, 0.48)
    brow_width: float = 0.03  # half thickness of an eyebrow
    brow_arch: float = 0.07  # its rise
    brow_dark: float = 0.5  # its darkness
    nose_width: float = 0.11  # half width of the nose
    nose_length: float = 0.30  # lower end of the nose
    lip_height: float = 0.075  # half height of the mouth
    lip_width: float = 0.22  # half width of the mouth
    smile: float = 0.02  # rise of its corners
    lip_red: float = 0.45  # colour of the lips against the skin
    cheek: float = 0.07  # relief of the cheekbones
    chin: float = 0.06  # relief of the chin
    beard: float = 0.0  # darkness of beard and moustache
    fold: float = 0.01  # depth of the lines from nose to mouth


_EYE_ROW, _BROW_ROW, _MOUTH_ROW = -0.08, -0.25, 0.53  # in half heights of the head


def head_depth(down: FloatArray, right: FloatArray) -> FloatArray:
    """Return 1 at the middle of the face, 0 on its outline and less outside.

    It is one minus the squared radius of an oval that is narrower at the jaw.
    """
    width = 0.73 - 0.15 * smoothstep(0.1, 1.1, down) - 0.02 * smoothstep(-0.2, -1.0, down)
    return np.asarray(1.0 - np.square(right / width) - np.square(down / 1.02), dtype=np.float32)


def relief(down: FloatArray, right: FloatArray, face: Features) -> FloatArray:
    """Return the height of the face towards the viewer, in half heights of the head."""
    height = 0.62 * np.sqrt(np.maximum(head_depth(down, right), 0.0) + 0.02)
    away = np.abs(right)
    height += _nose(down, right, face)
    # Sockets under a brow ridge, the ball of the eye in them.
    height -= 0.085 * bump(down - _EYE_ROW + 0.01, 0.13) * bump(away - face.eye_apart + 0.03, 0.17)
    height += 0.035 * bump(down - _BROW_ROW, 0.08) * bump(away - 0.26, 0.22)
    height += 0.05 * bump(down - _EYE_ROW, 0.085) * bump(away - face.eye_apart, 0.12)
    height += face.cheek * bump(down - 0.2, 0.2) * bump(away - 0.4, 0.17)
    height += face.chin * bump(down - 0.86, 0.12) * bump(right, 0.16)
    return np.asarray(height + _mouth(down, right, face), dtype=np.float32)


def markings(down: FloatArray, right: FloatArray, face: Features) -> FloatArray:
    """Return factors on the colour of the skin, (rows, cols, 3): 1 on plain skin."""
    away = np.abs(right)
    blush = bump(down - 0.22, 0.2) * bump(away - 0.4, 0.2) + 0.6 * bump(down - 0.24, 0.1) * bump(
        right, 0.1
    )
    colour = tint(blush, (0.0, 0.11, 0.10))
    colour = colour * tint(_beard(down, away, face), (0.8, 0.85, 0.9))
    colour = colour * _lips(down, right, face)
    nostril = bump(down - face.nose_length - 0.045, 0.022) * bump(
        away - 0.5 * face.nose_width, 0.035
    )
    colour = colour * tint(nostril, (0.62, 0.7, 0.72))
    colour = colour * tint(_brows(down, away, face), (0.92, 0.97, 1.0))
    return _with_eyes(colour, down, right, face)


def _nose(down: FloatArray, right: FloatArray, face: Features) -> FloatArray:
    end, width = face.nose_length, face.nose_width
    away = np.abs(right)
    bridge = smoothstep(-0.3, end - 0.06, down) * smoothstep(end + 0.09, end - 0.03, down)
    nose = 0.13 * bridge * bump(right, 0.75 * width)
    nose = nose + 0.10 * bump(down - end + 0.05, 0.09) * bump(right, 0.85 * width)
    wings = bump(down - end + 0.02, 0.06) * bump(away - width, 0.05)
    # The lines from nose to mouth run outwards as they go down.
    fold = bump(away - width - 0.09 - 0.3 * (down - end), 0.04) * bump(down - end - 0.12, 0.14)
    return np.asarray(nose + 0.045 * wings - face.fold * fold)


def _mouth(down: FloatArray, right: FloatArray, face: Features) -> FloatArray:
    tall, spread = face.lip_height, bump(right, 0.85 * face.lip_width)
    row = down - _MOUTH_ROW
    lips = 0.035 * bump(row + 0.5 * tall, 0.6 * tall) + 0.05 * bump(row - 0.6 * tall, 0.65 * tall)
    hollow = 0.025 * bump(row - 2.1 * tall, 0.05) + 0.012 * bump(row + 1.6 * tall, 0.06) * bump(
        right, 0.03
    )
    return np.asarray((lips - hollow) * spread)


def _lips(down: FloatArray, right: FloatArray, face: Features) -> FloatArray:
    """Return the factor of the lips: red, with a dark line where they meet."""
    across = np.clip(np.abs(right) / face.lip_width, 0.0, 1.3)
    taper = 1.0 - across**2
    row = down - _MOUTH_ROW + face.smile * (np.square(across) - 0.3)
    bow = 0.78 + 0.22 * bump(np.abs(right) - 0.055, 0.05)
    upper, lower = row / (face.lip_height * bow), row / (1.15 * face.lip_height)
    inside = np.where(row < 0, 1 + upper, 1 - lower) - (1 - taper)
    red = smoothstep(-0.12, 0.28, inside) * (1.0 + 0.25 * (row < 0))
    line = bump(row, 0.013) * smoothstep(1.12, 0.85, across)
    factor = tint(red, (0.22 * face.lip_red, face.lip_red, 0.85 * face.lip_red))
    return np.asarray(factor * tint(line, (0.5, 0.62, 0.62)))


def _brows(down: FloatArray, away: FloatArray, face: Features) -> FloatArray:
    along = (away - 0.12) / 0.38
    row = _BROW_ROW - face.brow_arch * np.sin(np.clip(1.25 * along, 0, 1.6) * np.pi / 1.9) + 0.03
    width = face.brow_width * (1.15 - 0.7 * np.clip(along, 0, 1))
    ends = smoothstep(-0.12, 0.12, along) * smoothstep(1.08, 0.8, along)
    return np.asarray(face.brow_dark * 1.3 * bump((down - row) / width, 1.0) * ends)


def _beard(down: FloatArray, away: FloatArray, face: Features) -> FloatArray:
    jaw = smoothstep(0.25, 0.62, down + 0.45 * np.square(away / 0.6) * 0.9)
    mouth = smoothstep(0.85, 1.25, np.hypot(away / 0.2, (down - _MOUTH_ROW) / 0.09))
    under_nose = smoothstep(face.nose_length + 0.03, face.nose_length + 0.09, down)
    cheeks = smoothstep(0.40, 0.22, away) + smoothstep(0.42, 0.62, down + 0.25 * (away - 0.3))
    return np.asarray(face.beard * jaw * mouth * under_nose * np.clip(cheeks, 0, 1))


def _with_eyes(
    colour: FloatArray, down: FloatArray, right: FloatArray, face: Features
) -> FloatArray:
    # Only the band of the eyes: they are the costliest part and a tenth of the head.
    band = np.flatnonzero(np.abs(down[:, 0] - _EYE_ROW) < 0.25)
    if band.size:
        rows = slice(int(band[0]), int(band[-1]) + 1)
        colour[rows] = _eyes(colour[rows], down[rows], right, face)
    return colour


def _eyes(colour: FloatArray, down: FloatArray, right: FloatArray, face: Features) -> FloatArray:
    """Lay the eyes over the face: white, iris, pupil, glint, lids and lashes."""
    away, tall, wide = np.abs(right), face.eye_height, face.eye_width
    across = (away - face.eye_apart) / wide
    row = down - _EYE_ROW + 0.012 * across
    lid = np.clip(1.0 - np.square(across), 0.0, 1.0)
    top, bottom = row + tall * lid**0.75, 0.72 * tall * lid - row
    open_eye = smoothstep(-0.006, 0.012, np.minimum(top, bottom)) * (np.abs(across) < 1.0)
    radius = np.hypot(away - face.eye_apart, row + 0.008)
    white = np.asarray((1.02, 1.12, 1.2), np.float32) * tint(bump(top, 0.035), (0.45, 0.45, 0.42))
    size = 0.068
    ball = mix(
        white, np.asarray(face.iris, np.float32) * 1.1, smoothstep(size, size - 0.016, radius)
    )
    ball *= tint(bump(radius - size + 0.008, 0.012), (0.5,) * 3)
    ball = mix(ball, (0.05, 0.04, 0.04), smoothstep(0.034, 0.024, radius))
    ball *= tint(bump(top, 0.03), (0.3, 0.3, 0.3))
    # The glint sits on the same side of both eyes, as one window makes it.
    glint = bump(row + 0.03, 0.013) * bump(away - face.eye_apart + 0.024 * np.sign(right), 0.013)
    ball = mix(ball, (1.5, 1.6, 1.7), glint)
    lashes = bump(top, 0.016) * smoothstep(1.15, 0.85, np.abs(across))
    crease = bump(top + 0.045, 0.014) * smoothstep(1.1, 0.6, np.abs(across))
    under = bump(bottom, 0.012) * smoothstep(1.1, 0.8, np.abs(across))
    lids = (
        tint(lashes, (0.75, 0.8, 0.8))
        * tint(crease, (0.22, 0.3, 0.3))
        * tint(under, (0.2, 0.28, 0.26))
    )
    return mix(colour, ball, open_eye) * lids
