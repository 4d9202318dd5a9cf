"""Base of jobs that fuse: the pictures, and how they are made ready."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, cast

from osmofuse.checks import choice, number
from osmofuse.errors import SettingError
from osmofuse.jobs.job import FileJob, R_co
from osmofuse.pixels import DEPTHS
from osmofuse.record import Record
from osmofuse.tasks.prepare import Preparation, check_invertible, role_of
from osmofuse.tasks.recipe import Recipe


@dataclass(frozen=True)
class SourcesJob(FileJob[R_co]):
    """Base of jobs that fuse pictures.

    Parameters
    ----------
    foreground : path
        The picture whose colours are kept.
    backgrounds : path, or tuple of path
        The picture whose structure enters, or several.
    output : path
        What to write.
    alpha : number, path, or "auto"; or tuple of number and path
        1 where the foreground is kept, 0 where the background's structure enters: the same
        everywhere, a picture of a map, or a map made from the two pictures. With several
        backgrounds one for each picture, foreground first.
    soften : float, 0 to 1000, or str
        Standard deviation of a blur of the map, in pixels, or as "2 %" of the side of a square as
        large as the picture; see `osmofuse.soften`.
    invert : bool
        The map is white where the background enters.
    levels : {"as-is", "percentiles", "match"}
        How the background's range is adjusted first.
    working_space : {"encoded", "linear"}
        Whether samples are fused as they are stored, or proportional to light.
    align : mapping, optional
        Lay the background over the foreground first: ``method``, ``transform`` and ``deformation``
        as for `osmofuse.align`; what is not said has its default there.
    depth : {"uint8", "uint16", "float32"}, optional
        Of the results; by default the foreground's.
    truth : path, optional
        The right answer, where there is one, for scores.
    recipe : mapping, optional
        Of the recipe that gave some of this, for the record: its ``name`` and ``sha256``.
    """

    foreground: Path
    backgrounds: tuple[Path, ...]
    output: Path
    alpha: float | Path | Literal["auto"] | tuple[float | Path | Literal["auto"], ...] = 0.5
    soften: float | str = 0.0
    invert: bool = False
    levels: Literal["as-is", "percentiles", "match"] = "as-is"
    working_space: Literal["encoded", "linear"] = "encoded"
    align: Mapping[str, Any] | None = None
    depth: Literal["uint8", "uint16", "float32"] | None = None
    truth: Path | None = None
    recipe: Mapping[str, str] | None = None

    def __post_init__(self) -> None:
        self._put_path("foreground", "output", "truth")
        given: Any = self.backgrounds
        given = given if isinstance(given, list | tuple) else (given,)
        self._put("backgrounds", tuple(map(Path, given)))
        self._put("alpha", _path_of(self.alpha))
        if isinstance(self.alpha, list | tuple):
            maps = (_path_of(one) for one in self.alpha)
            self._put("alpha", tuple(maps))
        self._check_alpha()
        super().__post_init__()
        how = Preparation(
            cast(Any, self.align), self.levels, self.working_space, self.soften, invert=self.invert
        )
        self._put("align", how.align)
        choice("depth", self.depth, (None, *DEPTHS))

    def _check_alpha(self) -> None:
        if not self.backgrounds:
            raise SettingError("background: missing; give the picture whose structure enters")
        self._check_count()
        for one in self.maps:
            if self.invert:
                check_invertible(one, several=len(self.backgrounds) > 1)
            if not isinstance(one, Path | str):
                number("alpha", one, most=1.0)
        if self.soften and not any(isinstance(one, Path | str) for one in self.maps):
            raise SettingError("soften: alpha is a number, which has no edges; give a map")

    def _check_count(self) -> None:
        """Refuse more or fewer maps than the pictures need."""
        count, maps = len(self.backgrounds) + 1, self.maps
        if isinstance(self.alpha, tuple) != (count > 2) or (count > 2 and len(maps) != count):
            raise SettingError(
                f"alpha: with {count - 1} backgrounds give {count} maps or numbers that sum to 1: "
                "the foreground's, then each background's"
                if count > 2
                else "alpha: several maps, but one background; give one map, the foreground's"
            )
        if count > 2 and "auto" in maps:
            raise SettingError("alpha: 'auto' takes one background; give a map for each picture")

    @property
    def maps(self) -> tuple[Any, ...]:
        """The map, or one for each picture."""
        return self.alpha if isinstance(self.alpha, tuple) else (self.alpha,)

    @property
    def tries_maps(self) -> bool:
        """True if several maps are tried, each on its own."""
        return False

    @property
    def background_roles(self) -> list[str]:
        """Names of the backgrounds in the record: "background", "background-2", ..."""
        return [role_of(k) for k in range(len(self.backgrounds))]

    @property
    def alpha_roles(self) -> list[str]:
        """Names of the maps in the record: "alpha", "alpha-2", ..."""
        return ["alpha", *(f"alpha-{k}" for k in range(2, len(self.maps) + 1))]

    @property
    def sources(self) -> dict[str, Path]:
        """The pictures that are fused, and their maps, by role."""
        found = {"foreground": self.foreground}
        found |= dict(zip(self.background_roles, self.backgrounds, strict=True))
        named = zip(self.alpha_roles, self.maps, strict=True)
        return found | {role: one for role, one in named if isinstance(one, Path)}

    @property
    def pictures(self) -> dict[str, Path]:
        """The pictures to be read, by role."""
        return self.sources | ({} if self.truth is None else {"truth": self.truth})

    @property
    def names(self) -> dict[str, Path]:
        """The files by the arguments of `osmofuse.prepare` that they are read for."""
        found = dict(self.sources)
        if len(self.backgrounds) > 1:
            found |= {f"background[{k}]": one for k, one in enumerate(self.backgrounds)}
            maps = enumerate(self.maps)
            found |= {f"alpha[{k}]": one for k, one in maps if isinstance(one, Path)}
        return found

    @classmethod
    def with_settings_of(cls, chosen: Recipe, parts: Mapping[str, Any]) -> dict[str, Any]:
        """Return parts of the job with the method and the settings of a recipe.

        What is given wins. If it is another method, the recipe's settings do not count.
        """
        method = parts.get("method", chosen.method)
        own = chosen.settings if method == chosen.method else {}
        return {**parts, "method": method, "settings": {**own, **parts.get("settings", {})}}

    @classmethod
    def parts_of(cls, record: Record) -> dict[str, Any]:
        """Return the parts of the job that a record tells of, but for its files."""
        background = record.input("background")
        parts = {
            "soften": record.alpha.get("soften", 0.0),
            "invert": record.alpha.get("invert", False),
            "working_space": record.working_space,
            "align": record.transform and record.transform.get("settings"),
            "depth": record.output.get("depth"),
            "recipe": record.recipe,
        }
        if background is not None and background.levels is not None:
            parts["levels"] = background.levels
        return super().parts_of(record) | parts


def _path_of(alpha: Any) -> Any:
    """Return the path of a map that is given as text; all else as it is."""
    return Path(alpha) if isinstance(alpha, str) and alpha != "auto" else alpha
