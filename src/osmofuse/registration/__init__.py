"""Registration: transforms between pictures of one scene, or the reason why there is none.

A chain of estimates: `starts` gives rough transforms, `refine` (by `local_shifts`) and `intensity`
make them exact, `quality` (by `correlation_peak`) decides which can be trusted, `warp` resamples
the picture. All of them look at grey copies in a common frame (`views`). In their code the
background is the moving picture and the foreground the fixed one, the usual terms of registration.
"""

from osmofuse.registration.align import Alignment, align
from osmofuse.registration.control_points import read_points
from osmofuse.registration.quality import Quality
from osmofuse.registration.transform import Deformation, Transform
from osmofuse.registration.warp import warped

__all__ = ["Alignment", "Deformation", "Quality", "Transform", "align", "read_points", "warped"]
