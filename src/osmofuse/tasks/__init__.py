"""One call on arrays for a person's purpose."""

from osmofuse.tasks.fuse import fuse

__all__ = ["fuse"]
