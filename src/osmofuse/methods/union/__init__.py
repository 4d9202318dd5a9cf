"""The union target: the foreground, and the one layer of the background that it lacks."""

from osmofuse.methods.union.target import UnionTarget, union_layer

__all__ = ["UnionTarget", "union_layer"]
