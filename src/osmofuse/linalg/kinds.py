"""Kinds of pixels in a linear system.

`FREE` pixels are unknowns; a `HELD` one exchanges mass along its edges but keeps its value; a
`CLOSED` one has no edges.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

CLOSED, FREE, HELD = 0, 1, 2

Kinds: TypeAlias = NDArray[np.uint8]
