"""What must exist before pictures can be fused."""

from osmofuse.preparation.alpha import as_alpha, soften

__all__ = ["as_alpha", "soften"]
