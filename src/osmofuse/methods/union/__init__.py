"""The union target: the foreground, and the one layer of the background that it lacks."""

from osmofuse.methods.union.target import UnionTarget

__all__ = ["UnionTarget"]
