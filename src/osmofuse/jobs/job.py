"""A job: files in, settings, files out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, cast

from osmofuse.checks import choice, mapping, number, whole
from osmofuse.errors import SettingError
from osmofuse.jobs.reading import pages_of
from osmofuse.methods import Method, VariationalOsmosis
from osmofuse.optimise.plan import Plan
from osmofuse.picture import DEPTHS
from osmofuse.tasks.fuse import method_of
from osmofuse.tasks.prepare import Preparation, role_of

MOST_BYTES = 2**63 - 1


@dataclass(frozen=True)
class Job:
    """One piece of work, from files to files.

    Parameters
    ----------
    foreground : path
        The picture whose colours are kept.
    backgrounds : path, or tuple of path
        The picture whose structure enters, or several.
    output : path
        The fused picture; its record goes beside it.
    alpha : number, path, or "auto"; or tuple of number and path
        1 where the foreground is kept, 0 where the background's structure enters: the same
        everywhere, a picture of a map, or a map made from the two pictures. With several
        backgrounds one for each picture, foreground first.
    soften : float, 0 to 1000
        Blur the map first, by so many pixels; see `osmofuse.soften`.
    method : str
        Name of a method.
    settings : mapping
        The method's settings; what is not given has its default.
    levels : {"as-is", "percentiles", "match"}
        How the background's range is adjusted first.
    working_space : {"encoded", "linear"}
        Whether samples are fused as they are stored, or proportional to light.
    align : mapping, optional
        Lay the background over the foreground first: ``method``, ``transform`` and ``deformation``
        as for `osmofuse.align`; what is not said has its default there.
    depth : {"uint8", "uint16", "float32"}, optional
        Of the outputs; by default the foreground's.
    structure, alpha_output : path, optional
        Where to write the structure that the method found, and the map that was used.
    overwrite : bool
        Replace outputs that exist.
    max_memory : int, optional
        Refuse to start if more bytes are needed.
    plan : Plan, optional
        Of an earlier fusion, to be followed exactly.
    recipe : mapping, optional
        Of the recipe that gave some of this, for the record: its ``name`` and ``sha256``.
    page : tuple of int
        Which page of the files is read, from 1: one for all, or one for each of `inputs`. Empty:
        the first of each.
    """

    foreground: Path
    backgrounds: tuple[Path, ...]
    output: Path
    alpha: float | Path | Literal["auto"] | tuple[float | Path, ...] = 0.5
    soften: float = 0.0
    method: str = "variational"
    settings: Mapping[str, Any] = field(default_factory=dict)
    levels: Literal["as-is", "percentiles", "match"] = "as-is"
    working_space: Literal["encoded", "linear"] = "encoded"
    align: Mapping[str, Any] | None = None
    depth: Literal["uint8", "uint16", "float32"] | None = None
    structure: Path | None = None
    alpha_output: Path | None = None
    overwrite: bool = False
    max_memory: int | None = None
    plan: Plan | None = None
    recipe: Mapping[str, str] | None = None
    page: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        put = object.__setattr__
        for name in ("foreground", "output", "structure", "alpha_output"):
            if getattr(self, name) is not None:
                put(self, name, Path(getattr(self, name)))
        given: Any = self.backgrounds
        given = given if isinstance(given, list | tuple) else (given,)
        put(self, "backgrounds", tuple(map(Path, given)))
        if isinstance(self.alpha, str) and self.alpha != "auto":
            put(self, "alpha", Path(self.alpha))
        if isinstance(self.alpha, list | tuple):
            maps = (Path(one) if isinstance(one, str) else one for one in self.alpha)
            put(self, "alpha", tuple(maps))
        self._check_alpha()
        pages_of(self.inputs, self.page)
        how = Preparation(cast(Any, self.align), self.levels, self.working_space, self.soften)
        put(self, "align", how.align)
        choice("depth", self.depth, (None, *DEPTHS))
        mapping("settings", self.settings)
        if self.max_memory is not None:
            whole("max_memory", self.max_memory, least=1, most=MOST_BYTES)
        fuser = self.fuser  # which refuses what is no method, or no setting of it
        if self.structure is not None and not isinstance(fuser, VariationalOsmosis):
            raise SettingError(f"structure: {self.method!r} finds none; use 'variational'")
        if self.plan is not None and getattr(fuser, "solver", None) != "flow":
            raise SettingError("plan: only the solver 'flow' of 'variational' follows one")

    def _check_alpha(self) -> None:
        if not self.backgrounds:
            raise SettingError("background: missing; give the picture whose structure enters")
        count = len(self.backgrounds) + 1
        maps = self.alpha if isinstance(self.alpha, tuple) else (self.alpha,)
        if isinstance(self.alpha, tuple) != (count > 2) or (count > 2 and len(maps) != count):
            raise SettingError(
                f"alpha: with {count - 1} backgrounds give {count} maps or numbers: the "
                "foreground's, then each background's"
                if count > 2
                else "alpha: several maps, but one background; give one map, the foreground's"
            )
        for one in maps:
            if not isinstance(one, Path | str):
                number("alpha", one, most=1.0)
                if self.soften:
                    raise SettingError("soften: alpha is a number, which has no edges; give a map")

    @property
    def fuser(self) -> Method:
        """The method with its settings."""
        return method_of(self.method, self.settings)

    @property
    def background_roles(self) -> list[str]:
        """What the backgrounds are called: "background", "background-2", ..."""
        return [role_of(k) for k in range(len(self.backgrounds))]

    @property
    def alpha_roles(self) -> list[str]:
        """What the maps are called: "alpha", "alpha-2", ..."""
        count = len(self.alpha) if isinstance(self.alpha, tuple) else 1
        return ["alpha", *(f"alpha-{k}" for k in range(2, count + 1))]

    @property
    def inputs(self) -> dict[str, Path]:
        """The files to be read, by role."""
        maps = self.alpha if isinstance(self.alpha, tuple) else (self.alpha,)
        found = {"foreground": self.foreground}
        found |= dict(zip(self.background_roles, self.backgrounds, strict=True))
        named = zip(self.alpha_roles, maps, strict=True)
        return found | {role: one for role, one in named if isinstance(one, Path)}

    @property
    def names(self) -> dict[str, Path]:
        """The files by the arguments of `osmofuse.prepare` that they are read for."""
        several = len(self.backgrounds) > 1
        found = dict(self.inputs)
        if several:
            found |= {f"background[{k}]": one for k, one in enumerate(self.backgrounds)}
            maps = self.alpha if isinstance(self.alpha, tuple) else ()
            found |= {f"alpha[{k}]": one for k, one in enumerate(maps) if isinstance(one, Path)}
        return found

    @property
    def outputs(self) -> dict[str, Path]:
        """The pictures to be written, by role; "output" is the fused one."""
        found = {
            "structure": self.structure,
            "alpha": self.alpha_output,
            "output": self.output,
        }
        return {role: path for role, path in found.items() if path is not None}
