"""What must exist before pictures can be fused."""

from osmofuse.picture import as_alpha
from osmofuse.preparation.alpha import soften
from osmofuse.preparation.alpha_file import AlphaFile, alpha_of_picture, read_alpha
from osmofuse.preparation.auto_alpha import AutoAlpha, auto_alpha
from osmofuse.preparation.foreground_colours import foreground_colours
from osmofuse.preparation.levels import apply_levels, range_used
from osmofuse.preparation.matting import Matte, matte
from osmofuse.preparation.morphology import feather, grow, invert
from osmofuse.preparation.strokes import Stroke, alpha_of_polygons, trimap_of_strokes
from osmofuse.preparation.trimap import Trimap, trimap_of_mask
from osmofuse.preparation.trimap_file import read_trimap, trimap_of_picture
from osmofuse.preparation.working_space import from_working, to_working

__all__ = [
    "AlphaFile",
    "AutoAlpha",
    "Matte",
    "Stroke",
    "Trimap",
    "alpha_of_picture",
    "alpha_of_polygons",
    "apply_levels",
    "as_alpha",
    "auto_alpha",
    "feather",
    "foreground_colours",
    "from_working",
    "grow",
    "invert",
    "matte",
    "range_used",
    "read_alpha",
    "read_trimap",
    "soften",
    "to_working",
    "trimap_of_mask",
    "trimap_of_picture",
    "trimap_of_strokes",
]
