"""Registration: lay the background over the foreground, or say that it cannot be done.

A chain: `features` and `search` give rough transforms, `refine` (with `tiles`), `ecc` and
`mutual_information` make them exact, `verdict` decides which can be trusted, `warp` carries the
picture. All of them look at grey copies (`views`) in a common `frame`. In their code the background
is the moving picture and the foreground the fixed one, as books on registration say.
"""

from osmofuse.preparation.registration.align import Alignment, align
from osmofuse.preparation.registration.control_points import read_points
from osmofuse.preparation.registration.transform import Transform
from osmofuse.preparation.registration.warp import warped

__all__ = ["Alignment", "Transform", "align", "read_points", "warped"]
