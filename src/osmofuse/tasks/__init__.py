"""One call on arrays for a person's purpose."""

from osmofuse.tasks.compare import Comparison, compare
from osmofuse.tasks.fuse import fuse
from osmofuse.tasks.prepare import Prepared, prepare
from osmofuse.tasks.recipe import Recipe, recipe, recipe_files, recipes
from osmofuse.tasks.sweep import Trial, sweep

__all__ = [
    "Comparison",
    "Prepared",
    "Recipe",
    "Trial",
    "compare",
    "fuse",
    "prepare",
    "recipe",
    "recipe_files",
    "recipes",
    "sweep",
]
