"""Picture files; no other room opens them.

Pixels go through libvips, which keeps 16-bit and float samples exact. TIFF tags that libvips loses
(EXIF, most of IPTC, geography, the meaning of extra bands) are read and written by
`osmofuse.io.tags`.
"""

from osmofuse.io.description import Description, Limits, describe
from osmofuse.io.isolation import describe_isolated, read_isolated, start_decoder
from osmofuse.io.profile import in_profile_of
from osmofuse.io.reading import read
from osmofuse.io.screen import encoded, for_screen, reduced, write_animation
from osmofuse.io.staging import Staging
from osmofuse.io.targets import check_distinct, check_target
from osmofuse.io.writing import encode, format_of, storable, write
from osmofuse.io.xmp import composite_metadata

__all__ = [
    "Description",
    "Limits",
    "Staging",
    "check_distinct",
    "check_target",
    "composite_metadata",
    "describe",
    "describe_isolated",
    "encode",
    "encoded",
    "for_screen",
    "format_of",
    "in_profile_of",
    "read",
    "read_isolated",
    "reduced",
    "start_decoder",
    "storable",
    "write",
    "write_animation",
]
