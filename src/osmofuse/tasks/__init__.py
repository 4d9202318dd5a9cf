"""Functions on arrays and Pictures, one for each purpose; levels and the working space."""

from osmofuse.tasks.balance import Balanced, balance
from osmofuse.tasks.clone import Cloned, clone
from osmofuse.tasks.compact import Compacted, compact
from osmofuse.tasks.compare import Comparison, compare
from osmofuse.tasks.edited import Edited
from osmofuse.tasks.fuse import fuse
from osmofuse.tasks.levels import apply_levels, range_used
from osmofuse.tasks.prepare import Prepared, prepare
from osmofuse.tasks.recipe import Recipe, recipe, recipe_files, recipes
from osmofuse.tasks.remove_shadow import ShadowRemoval, remove_shadow
from osmofuse.tasks.sweep import Trial, sweep
from osmofuse.tasks.working_space import from_working, to_working

__all__ = [
    "Balanced",
    "Cloned",
    "Compacted",
    "Comparison",
    "Edited",
    "Prepared",
    "Recipe",
    "ShadowRemoval",
    "Trial",
    "apply_levels",
    "balance",
    "clone",
    "compact",
    "compare",
    "from_working",
    "fuse",
    "prepare",
    "range_used",
    "recipe",
    "recipe_files",
    "recipes",
    "remove_shadow",
    "sweep",
    "to_working",
]
