"""One call on arrays for a person's purpose."""

from osmofuse.tasks.compare import Comparison, compare
from osmofuse.tasks.fuse import fuse

__all__ = ["Comparison", "compare", "fuse"]
