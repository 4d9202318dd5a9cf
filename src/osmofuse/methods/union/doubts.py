"""Reasons for which a fusion may disappoint or mislead, found in the pictures."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np

from osmofuse.methods.statistics import Statistics, gridded
from osmofuse.methods.union.fit import STRANGERS, Fit
from osmofuse.methods.union.pair import LogPair
from osmofuse.typing import FloatArray

# Layer that is seen, in the logarithm, and share of the picture below which nothing enters.
VISIBLE, LEAST_SHARE = 0.05, 0.0005
# Share of samples at the end of the range; unclipped pictures have less than 0.1 %.
MOST_CLIPPED = 0.02
# Gain in agreement from which a background was shifted: 1.33 to 2.1 on pages shifted by up to two
# pixels, at most 1.14 on pages that are only blurred and noisy.
SHIFT_GAINS = 1.25

NOTHING = "it shows nothing that the foreground lacks; the result is the foreground"
SHIFTED = (
    "it did not quite fit and was moved by a pixel or two here and there; strokes may be doubled, "
    "so align it first, with --align affine, or align='affine'"
)
POOR_FIT = (
    "it fits badly: the contrast of what both show varies from place to place, as if it were "
    "displaced, blurred or compressed, or from a thermal camera (--recipe scene); what it adds was "
    "held back"
)
HELD_BACK = 0.7  # trust below which that is told
CONTRARY = (
    "much of what both show is bright in one and dark in the other, as in pictures of a thermal "
    "camera, so what it adds was held back; for such a pair take --recipe scene"
)
UNRELATED = (
    "it shares hardly any structure with the foreground, so what it adds was held back; check that "
    "they show the same thing and are aligned, and for a thermal camera take --recipe scene"
)


def doubts(
    pair: LogPair, b: FloatArray, psi: FloatArray, fit: Fit, trust: float, known: Statistics
) -> tuple[str, ...]:
    """Return the doubts about a background, of which b has samples, and the layer made from it."""
    return tuple(_doubts(pair, b, psi, fit, trust, known))


def named(found: Iterable[Iterable[str]]) -> tuple[str, ...]:
    """Return the doubts about each background with its name.

    >>> named([["it fits badly"], [], ["it is blank"]])
    ('background: it fits badly', 'background 3: it is blank')
    """
    return tuple(
        f"background{f' {k}' if k > 1 else ''}: {words}"
        for k, one in enumerate(found, 1)
        for words in one
    )


def _doubts(
    pair: LogPair, b: FloatArray, psi: FloatArray, fit: Fit, trust: float, known: Statistics
) -> Iterator[str]:
    clipped = known("clipped", lambda: clipped_share(b[gridded(pair.valid)]))
    added = known("added", lambda: float((np.abs(psi) > VISIBLE).mean()))
    held_back = trust < HELD_BACK
    if held_back and fit.agreement < STRANGERS:
        yield UNRELATED
    elif held_back:
        yield POOR_FIT if fit.shifted else CONTRARY
    elif added < LEAST_SHARE:
        yield NOTHING
    elif fit.shifted and fit.gained > SHIFT_GAINS:
        yield SHIFTED
    if clipped > MOST_CLIPPED:
        yield f"{clipped:.0%} of it is clipped: what was there is lost, and cannot enter"


def clipped_share(b: FloatArray) -> float:
    """Return the share of samples at an end of the range; 0 for a flat picture.

    >>> clipped_share(np.array([0.2, 0.5, 1.0, 1.0]))
    0.5
    """
    if b.size == 0 or b.min() == b.max():
        return 0.0
    return float(max((b == b.max()).mean(), (b == b.min()).mean()))
