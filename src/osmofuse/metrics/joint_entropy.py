"""Entropies of two planes and of both together, from how often pairs of levels occur."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from osmofuse.typing import Array


class Entropies(NamedTuple):
    """Entropies in nats."""

    x: float
    y: float
    joint: float

    @property
    def mutual(self) -> float:
        """The mutual information, in nats; rounding does not make it negative."""
        return max(self.x + self.y - self.joint, 0.0)


def entropies(joint: Array) -> Entropies:
    """Return the entropies of two planes from their joint counts."""
    p = joint / joint.sum()
    return Entropies(_nats(p.sum(axis=1)), _nats(p.sum(axis=0)), _nats(p))


def _nats(p: Array) -> float:
    p = p[p > 0]
    return float(-(p * np.log(p)).sum()) + 0.0  # no negative zero
