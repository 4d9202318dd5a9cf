"""Recipes: settings for a purpose, in TOML files.

A job takes missing settings from a recipe::

    format = 1
    name = "text"
    title = "Faded writing"
    for = "A page in visible light, and its infrared picture in which the ink still shows."

    [input]
    levels = "as-is"

    [alpha]
    from = "auto"

    [method]
    name = "variational"
    reach = "2 %"

A table ``[shadow]`` instead of these makes it a recipe for the removal of shadows. Some recipes
come with the package; those in the user's folder take precedence.
"""

from __future__ import annotations

import hashlib
import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np

from osmofuse.documents import read_document, text_of
from osmofuse.errors import SettingError, UnreadableError, did_you_mean
from osmofuse.methods import Fusion
from osmofuse.picture import Picture
from osmofuse.progress import Watch
from osmofuse.tasks.compare import Comparison, Methods, chosen_methods, compare
from osmofuse.tasks.fuse import fuse
from osmofuse.tasks.lengths import in_pixels
from osmofuse.tasks.prepare import Given, is_number
from osmofuse.tasks.recipe_file import parsed
from osmofuse.tasks.remove_shadow import ShadowRemoval, remove_shadow
from osmofuse.tasks.sweep import Alphas, Trial, sweep
from osmofuse.tasks.working_space import Space

SHIPPED = Path(__file__).parent / "recipes"  # recipes of the package
LARGEST_RECIPE = 64_000  # bytes of a recipe
_COMMANDS = {  # in words, for messages
    "fuse": "fusions (osmofuse fuse, compare and sweep)",
    "shadow": "the removal of shadows (osmofuse shadow)",
}


@dataclass(frozen=True)
class Recipe:
    """Settings for a purpose; `osmofuse.recipe` finds one.

    Attributes
    ----------
    name, title : str
        Name in commands, and title.
    purpose : str
        Purpose in a sentence.
    command : str
        "fuse" for all fusions, also comparisons and sweeps; or "shadow".
    alpha : float, "auto" or None
        Default map; None: there is none.
    needs_map : bool
        A map must be given.
    soften : float or str
        Blur of the map in pixels.
    levels, working_space : str
        Adjustment of the background's range, and space of the fusion; see `osmofuse.prepare`.
    align : mapping or None
        Alignment of the background with the foreground, see `osmofuse.prepare`; None: no alignment.
    depth : str or None
        Of the output; None: the foreground's.
    method : str
        Name of the method; for "shadow", the model.
    settings : mapping of str to object
        The method's settings; for "shadow", those of `osmofuse.remove_shadow`.
    scene : str or None
        The scene of `osmofuse.gallery` on which it was tuned.
    path : path
        The file.
    sha256 : str
        Of its bytes.

    Notes
    -----
    `soften` and the setting ``reach`` may be texts like ``"2 %"``: of the side of a square with the
    picture's area. `soften_for` and `settings_for` give them in pixels.
    """

    name: str
    title: str
    purpose: str
    command: str
    alpha: float | str | None
    needs_map: bool
    soften: float | str
    levels: str
    working_space: Space
    align: Mapping[str, Any] | None
    depth: str | None
    method: str
    settings: Mapping[str, Any]
    scene: str | None
    path: Path
    sha256: str

    def __post_init__(self) -> None:
        object.__setattr__(self, "settings", MappingProxyType(dict(self.settings)))

    def __reduce__(self) -> tuple[Any, ...]:
        values = (getattr(self, one.name) for one in fields(self))
        return Recipe, tuple(dict(v) if isinstance(v, MappingProxyType) else v for v in values)

    def settings_for(self, shape: Sequence[int]) -> dict[str, Any]:
        """Return the method and its settings for pictures of a size, as `osmofuse.fuse` takes them.

        Of a recipe for shadows, the settings that `osmofuse.remove_shadow` takes.

        Parameters
        ----------
        shape : sequence of int
            Shape of the pictures: rows, columns and optionally bands.

        Examples
        --------
        >>> round(recipe("face").settings_for((400, 400))["reach"], 6)
        14.0
        """
        if self.command == "shadow":
            return dict(self.settings)
        return {"method": self.method, **in_pixels(self.settings, shape)}

    def soften_for(self, shape: Sequence[int]) -> float:
        """Return the blur of the map, in pixels, for pictures of a size."""
        return float(in_pixels({"soften": self.soften}, shape)["soften"])

    def check_command(self, command: str) -> None:
        """Check that the recipe is for a command: "fuse", also for all other fusions, or "shadow".

        Raises
        ------
        SettingError
            It is for another one.
        """
        if command != self.command:
            one, other = (
                _COMMANDS.get(name, f"osmofuse {name}") for name in (self.command, command)
            )
            raise SettingError(f"recipe: {self.name!r} is for {one}, not for {other}")

    @property
    def preparing(self) -> dict[str, Any]:
        """Options of `osmofuse.prepare`."""
        return {
            "align": self.align,
            "levels": self.levels,
            "working_space": self.working_space,
            "soften": self.soften,
        }

    def fuse(
        self,
        foreground: Given,
        background: Given | Sequence[Given],
        alpha: Given | Sequence[Given] | None = None,
        *,
        watch: Watch | None = None,
        **changes: Any,
    ) -> Fusion:
        """Fuse two pictures with the recipe's settings, by `osmofuse.fuse`.

        Parameters
        ----------
        foreground, background : array or Picture
            The picture whose colours are kept, and the one whose structure enters.
        alpha : array, Picture, number or "auto", optional
            By default the recipe's.
        watch : callable, optional
            Called with a `Progress` at intervals; if it returns True the fusion stops as it is.
        **changes
            Options of `osmofuse.fuse` that are to differ from the recipe's.

        Returns
        -------
        Fusion
            It cannot be extended if the recipe works in linear light. `picture` has the depth of
            the foreground; pass the recipe's `depth` to use that.

        Raises
        ------
        SettingError
            The recipe needs a map, and none is given.

        Examples
        --------
        >>> import numpy as np
        >>> page, infrared = np.full((40, 30, 3), 0.7), np.full((40, 30), 0.6)
        >>> round(recipe("heritage").fuse(page, infrared).reach, 2)
        2.55
        """
        chosen, how = self._prepares(alpha)
        method = changes.pop("method", self.method)
        own = self.settings if method == self.method else {}
        options = {"method": method, "watch": watch, **how, **own, **changes}
        return fuse(foreground, background, chosen, **options)

    def compare(
        self,
        foreground: Given,
        background: Given,
        alpha: Given | None = None,
        *,
        methods: Methods = None,
        **changes: Any,
    ) -> list[Comparison]:
        """Compare methods on a pair prepared by the recipe, by `osmofuse.compare`.

        Parameters
        ----------
        foreground, background : array or Picture
            As for `fuse`.
        alpha : array, Picture, number or "auto", optional
            By default the recipe's.
        methods
            As for `osmofuse.compare`. The recipe's own method, given by its name or by default,
            has the recipe's settings.
        **changes
            Options of `osmofuse.compare`, also those that are to differ from the recipe's.

        Returns
        -------
        list of Comparison
            As of `osmofuse.compare`.

        Examples
        --------
        >>> import numpy as np
        >>> page, infrared = np.full((40, 30, 3), 0.7), np.full((40, 30), 0.6)
        >>> found = recipe("heritage").compare(page, infrared, methods=["variational", "direct"])
        >>> round(found[0].fusion.reach, 2)
        2.55
        """
        chosen, how = self._prepares(alpha)
        shape = foreground.shape if isinstance(foreground, Picture) else np.shape(foreground)
        own = {self.method: in_pixels(self.settings, shape)} if len(shape) > 1 else {}
        options = {**how, **changes, "methods": chosen_methods(methods, own)}
        return compare(foreground, background, chosen, **options)

    def sweep(
        self,
        foreground: Given,
        background: Given,
        alpha: Alphas = None,
        *,
        method: str | None = None,
        **changes: Any,
    ) -> list[Trial]:
        """Vary settings on a pair, starting from the recipe's, by `osmofuse.sweep`.

        Parameters
        ----------
        foreground, background : array or Picture
            As for `fuse`.
        alpha : number, array, Picture, "auto", or a list or mapping of them, optional
            By default the recipe's; or several to try.
        method : str, optional
            By default the recipe's. Another does not have the recipe's settings.
        **changes
            Options of `osmofuse.sweep`, also those that are to differ from the recipe's: a
            setting may be a list of values to try.

        Returns
        -------
        list of Trial
            As of `osmofuse.sweep`.

        Examples
        --------
        >>> import numpy as np
        >>> page, infrared = np.full((40, 30, 3), 0.7), np.full((40, 30), 0.6)
        >>> found = recipe("heritage").sweep(page, infrared, eta=[0.1, 0.2])
        >>> [(trial.settings["eta"], round(trial.fusion.reach, 2)) for trial in found]
        [(0.1, 2.55), (0.2, 2.55)]
        """
        chosen, how = self._prepares(alpha)
        used = self.method if method is None else method
        own = self.settings if used == self.method else {}
        return sweep(foreground, background, chosen, method=used, **{**how, **own, **changes})

    def remove_shadow(
        self,
        picture: Given,
        boundary: Given | str = "auto",
        *,
        watch: Watch | None = None,
        **changes: Any,
    ) -> ShadowRemoval:
        """Remove a shadow with the recipe's settings, by `osmofuse.remove_shadow`.

        Parameters
        ----------
        picture : array or Picture
            The picture.
        boundary : array, Picture or "auto"
            Map of the shadow's edge.
        watch : callable, optional
            As for `fuse`.
        **changes
            Options of `osmofuse.remove_shadow` that are to differ from the recipe's.

        Returns
        -------
        ShadowRemoval
            As of `osmofuse.remove_shadow`.

        Raises
        ------
        SettingError
            The recipe is for fusions.

        Examples
        --------
        >>> from osmofuse.gallery import shadow
        >>> scene = shadow((60, 80))
        >>> recipe("shadow").remove_shadow(scene.foreground, scene.alpha).status.is_success
        True
        """
        self.check_command("shadow")
        return remove_shadow(picture, boundary, watch=watch, **{**self.settings, **changes})

    def _prepares(self, alpha: Any) -> tuple[Any, dict[str, Any]]:
        """Return the map, given or the recipe's, and the options of `osmofuse.prepare`."""
        self.check_command("fuse")
        chosen = self.alpha if alpha is None else alpha
        if chosen is None and self.needs_map:
            raise SettingError(f"alpha: the recipe {self.name!r} needs a map; give one")
        how = self.preparing
        several = [*chosen.values()] if isinstance(chosen, Mapping) else chosen
        maps = several if isinstance(several, list | tuple) else [chosen]
        if all(one is None or is_number(one) for one in maps):
            how["soften"] = 0.0  # a number has no edges
        return chosen, how

    @property
    def thumbnail(self) -> Path | None:
        """Path of an example picture next to the file, or None."""
        picture = self.path.with_suffix(".jpg")
        return picture if picture.is_file() else None

    @property
    def entry(self) -> dict[str, str]:
        """Entry of the recipe in a record."""
        return {"name": self.name, "sha256": self.sha256}


def recipe(name: str | os.PathLike[str]) -> Recipe:
    """Find a recipe.

    Parameters
    ----------
    name : str or path
        Its name, or the path of its file, which ends in ``.toml``.

    Returns
    -------
    Recipe
        The recipe; the user's own has precedence.

    Raises
    ------
    SettingError
        The recipe is missing or invalid; the message names the error and its place.

    Examples
    --------
    >>> recipe("clone").method
    'linear-osmosis'
    """
    path = Path(name)
    if path.suffix == ".toml":
        return _read(path)
    name, files = str(name), recipe_files()
    if name not in files:
        raise SettingError(
            f"recipe: {name!r} is unknown{did_you_mean(name, files)}; there are "
            f"{', '.join(files)}; your own go into {user_folder()}, or are named by a path that "
            "ends in .toml"
        )
    found = _read(files[name])
    if found.name != name:
        raise SettingError(f"{found.path}: name is {found.name!r}; must be {name!r}, as the file's")
    return found


def recipes() -> list[Recipe]:
    """Return all recipes, sorted by name; an invalid file of the user raises SettingError."""
    return [recipe(name) for name in recipe_files()]


def recipe_files() -> dict[str, Path]:
    """Return the files of all recipes by name; the user's replace the package's."""
    found = {path.stem: path for path in SHIPPED.glob("*.toml")}
    found |= {path.stem: path for path in user_folder().glob("*.toml")}
    return dict(sorted(found.items()))


def user_folder() -> Path:
    """Return the folder of the user's recipes, which may not exist."""
    if configured := os.environ.get("XDG_CONFIG_HOME"):
        base = Path(configured)
    elif sys.platform == "win32":
        base = Path(os.environ.get("APPDATA") or Path.home() / "AppData" / "Roaming")
    elif sys.platform == "darwin":
        base = Path.home() / "Library" / "Application Support"
    else:
        base = Path.home() / ".config"
    return base / "osmofuse" / "recipes"


def _read(path: Path) -> Recipe:
    content = read_document(path, most=LARGEST_RECIPE)
    try:
        text = text_of(content)
    except ValueError as error:
        raise UnreadableError(f"{path}: not a recipe; it is not text in UTF-8") from error
    parts = parsed(text, str(path))
    return Recipe(**parts, path=path, sha256=hashlib.sha256(content).hexdigest())
