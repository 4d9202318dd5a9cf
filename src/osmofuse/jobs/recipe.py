"""Jobs whose parts a recipe gives."""

from __future__ import annotations

from pathlib import Path
from typing import Any, TypeVar

from osmofuse.errors import SettingError
from osmofuse.jobs.fuse import FuseJob
from osmofuse.jobs.sources import SourcesJob
from osmofuse.tasks.recipe import Recipe

_PARTS = ("alpha", "levels", "working_space", "align", "depth")  # that a recipe and a job have

J = TypeVar("J", bound=SourcesJob[Any])


def job_with_recipe(
    chosen: Recipe,
    kind: type[J] = FuseJob,  # type: ignore[assignment]
    **given: Any,
) -> J:
    """Return a job whose parts are those given, and of the rest what a recipe says.

    Parameters
    ----------
    chosen : Recipe
        The recipe.
    kind : type
        The job: `FuseJob`, `CompareJob` or `SweepJob`.
    **given
        Parts of the job. Settings are joined one by one with the recipe's, which are of its
        method: if another `method` is given they do not count, and of the methods that are
        compared only that one has them. What a sweep varies starts from them.

    Raises
    ------
    SettingError
        The recipe needs a map and none is given, or the parts do not go together.
    """
    parts = {name: getattr(chosen, name) for name in _PARTS} | given
    if parts["alpha"] is None:
        raise SettingError(
            f"alpha: the recipe {chosen.name!r} needs a map, white where the foreground is kept; "
            "give --alpha map.png"
        )
    alpha = parts["alpha"]
    maps = alpha if isinstance(alpha, list | tuple) else [alpha]
    if any(isinstance(one, Path | str) for one in maps):  # a number has no edges to be softened
        parts.setdefault("soften", chosen.soften)
    try:
        return kind(**kind.with_settings_of(chosen, parts), recipe=chosen.entry)
    except SettingError as error:
        raise SettingError(f"{error} (with the recipe {chosen.name!r})") from error
