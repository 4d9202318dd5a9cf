"""What must exist before pictures can be fused."""

from osmofuse.preparation.alpha import as_alpha, soften
from osmofuse.preparation.levels import apply_levels, range_used
from osmofuse.preparation.working_space import from_working, to_working

__all__ = [
    "apply_levels",
    "as_alpha",
    "from_working",
    "range_used",
    "soften",
    "to_working",
]
