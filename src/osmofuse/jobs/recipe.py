"""Construction of jobs from a recipe and given fields."""

from __future__ import annotations

from pathlib import Path
from typing import Any, TypeVar

from osmofuse.errors import SettingError
from osmofuse.jobs.fuse import FuseJob
from osmofuse.jobs.job import FileJob
from osmofuse.jobs.sources import SourcesJob
from osmofuse.tasks.recipe import Recipe

# Fields that recipes and jobs have in common.
_RECIPE_PARTS = ("alpha", "levels", "working_space", "align", "depth")

J = TypeVar("J", bound=FileJob[Any])


def job_with_recipe(
    chosen: Recipe,
    kind: type[J] = FuseJob,  # type: ignore[assignment]
    **given: Any,
) -> J:
    """Return a job with the given parts, and the rest from a recipe.

    Parameters
    ----------
    chosen : Recipe
        Recipe.
    kind : type
        Class of the job: `FuseJob`, `CompareJob`, `SweepJob` or `ShadowJob`.
    **given
        Fields of the job. Given settings replace the recipe's one by one. The recipe's settings
        are for its method only: with another `method` they are ignored, and a comparison uses
        them for that method alone. A sweep varies its settings around them.

    Raises
    ------
    SettingError
        The recipe is for another kind of job, it needs a map and none is given, or the parts
        contradict each other.
    """
    if issubclass(kind, SourcesJob):
        chosen.check_command("fuse")
        given = _with_sources_of(chosen, given)
    parts = kind.with_settings_of(chosen, given)
    try:
        return kind(**parts | {"recipe": chosen.entry})
    except SettingError as error:
        raise SettingError(f"{error} (with the recipe {chosen.name!r})") from error


def _with_sources_of(chosen: Recipe, given: dict[str, Any]) -> dict[str, Any]:
    """Return parts of a job with the map and the preparation of a recipe."""
    parts: dict[str, Any] = {name: getattr(chosen, name) for name in _RECIPE_PARTS} | given
    if parts["alpha"] is None and chosen.needs_map:
        raise SettingError(
            f"alpha: the recipe {chosen.name!r} needs a map, white where the foreground is kept; "
            "give --alpha map.png"
        )
    alpha = parts["alpha"]
    maps = alpha if isinstance(alpha, list | tuple) else [alpha]
    if any(isinstance(one, Path | str) for one in maps):  # a number has no edges to blur
        parts.setdefault("soften", chosen.soften)
    return parts
