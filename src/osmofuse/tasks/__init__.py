"""One call on arrays for a person's purpose."""

from osmofuse.tasks.compare import Comparison, compare
from osmofuse.tasks.fuse import fuse
from osmofuse.tasks.sweep import Trial, sweep

__all__ = ["Comparison", "Trial", "compare", "fuse", "sweep"]
