"""Alpha maps: reading, drawing, matting, estimating them from pictures; directions."""

from osmofuse.maps.alpha import feather, grow, invert, soften
from osmofuse.maps.auto_alpha import AutoAlpha, auto_alpha
from osmofuse.maps.directions import Directions, directions
from osmofuse.maps.foreground_colours import foreground_colours
from osmofuse.maps.map_file import (
    AlphaFile,
    alpha_of_picture,
    read_alpha,
    read_trimap,
    trimap_of_picture,
)
from osmofuse.maps.matting import Matte, matte
from osmofuse.maps.strokes import Stroke, alpha_of_polygons, trimap_of_strokes
from osmofuse.maps.trimap import Trimap, trimap_of_mask
from osmofuse.picture import as_alpha

__all__ = [
    "AlphaFile",
    "AutoAlpha",
    "Directions",
    "Matte",
    "Stroke",
    "Trimap",
    "alpha_of_picture",
    "alpha_of_polygons",
    "as_alpha",
    "auto_alpha",
    "directions",
    "feather",
    "foreground_colours",
    "grow",
    "invert",
    "matte",
    "read_alpha",
    "read_trimap",
    "soften",
    "trimap_of_mask",
    "trimap_of_picture",
    "trimap_of_strokes",
]
