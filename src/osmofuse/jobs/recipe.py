"""Jobs whose parts a recipe gives."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from osmofuse.errors import SettingError
from osmofuse.jobs.files import shape_of, sized
from osmofuse.jobs.fuse import FuseJob
from osmofuse.tasks.recipe import Recipe

_PARTS = ("alpha", "levels", "working_space", "align", "depth")  # that a recipe and a job have


def job_with_recipe(chosen: Recipe, **given: Any) -> FuseJob:
    """Return a job whose parts are those given, and of the rest what a recipe says.

    Parameters
    ----------
    chosen : Recipe
        The recipe.
    **given
        Parts of a `FuseJob`. The method's `settings` are joined one by one; if another `method` is
        given, the recipe's settings, which are of its own, do not count.

    Raises
    ------
    SettingError
        The recipe needs a map and none is given, or the parts do not go together.
    UnreadableError
        The foreground, whose size counts, cannot be read.
    """
    parts = {name: getattr(chosen, name) for name in _PARTS} | given
    if parts["alpha"] is None:
        raise SettingError(
            f"alpha: the recipe {chosen.name!r} needs a map, white where the foreground is kept; "
            "give --alpha map.png"
        )
    shape = shape_of(parts)
    if isinstance(parts["alpha"], Path | str):  # a number has no edges to be softened
        parts.setdefault("soften", chosen.soften_for(shape))
    own = chosen.settings_for(shape)
    method = own.pop("method")
    parts.setdefault("method", method)
    settings = (own if parts["method"] == method else {}) | dict(given.get("settings", {}))
    try:
        return FuseJob(**sized(parts | {"settings": settings}), recipe=chosen.entry)
    except SettingError as error:
        raise SettingError(f"{error} (with the recipe {chosen.name!r})") from error
