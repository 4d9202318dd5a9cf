"""A job: files in, settings, files out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from osmofuse.checks import choice, mapping, number, whole
from osmofuse.errors import SettingError
from osmofuse.jobs.aligned import checked_alignment
from osmofuse.jobs.reading import pages_of
from osmofuse.methods import Method, VariationalOsmosis
from osmofuse.optimise.plan import Plan
from osmofuse.preparation.alpha import WIDEST_BLUR
from osmofuse.tasks.fuse import method_of

LEVELS = ("as-is", "percentiles", "match")
WORKING_SPACES = ("encoded", "linear")
DEPTHS = ("uint8", "uint16", "float32")
MOST_BYTES = 2**63 - 1


@dataclass(frozen=True)
class Job:
    """One piece of work, from files to files.

    Parameters
    ----------
    foreground, background : path
        The picture whose colours are kept, and the one whose structure enters.
    output : path
        The fused picture; its record goes beside it.
    alpha : number, path, or "auto"
        1 where the foreground is kept, 0 where the background's structure enters: the same
        everywhere, a picture of a map, or a map made from the two pictures.
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
    background: Path
    output: Path
    alpha: float | Path | Literal["auto"] = 0.5
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
        for name in ("foreground", "background", "output", "structure", "alpha_output"):
            if getattr(self, name) is not None:
                object.__setattr__(self, name, Path(getattr(self, name)))
        if isinstance(self.alpha, str) and self.alpha != "auto":
            object.__setattr__(self, "alpha", Path(self.alpha))
        self._check_alpha()
        pages_of(self.inputs, self.page)
        choice("levels", self.levels, LEVELS)
        choice("working_space", self.working_space, WORKING_SPACES)
        choice("depth", self.depth, (None, *DEPTHS))
        mapping("settings", self.settings)
        if self.align is not None:
            object.__setattr__(self, "align", checked_alignment(self.align))
        if self.max_memory is not None:
            whole("max_memory", self.max_memory, least=1, most=MOST_BYTES)
        fuser = self.fuser  # which refuses what is no method, or no setting of it
        if self.structure is not None and not isinstance(fuser, VariationalOsmosis):
            raise SettingError(f"structure: {self.method!r} finds none; use 'variational'")
        if self.plan is not None and getattr(fuser, "solver", None) != "flow":
            raise SettingError("plan: only the solver 'flow' of 'variational' follows one")

    def _check_alpha(self) -> None:
        number("soften", self.soften, most=WIDEST_BLUR)
        if isinstance(self.alpha, Path | str):
            return
        number("alpha", self.alpha, most=1.0)
        if self.soften:
            raise SettingError("soften: alpha is a number, which has no edges; give a map")

    @property
    def fuser(self) -> Method:
        """The method with its settings."""
        return method_of(self.method, self.settings)

    @property
    def inputs(self) -> dict[str, Path]:
        """The files to be read, by role."""
        found = {"foreground": self.foreground, "background": self.background}
        return found | ({"alpha": self.alpha} if isinstance(self.alpha, Path) else {})

    @property
    def outputs(self) -> dict[str, Path]:
        """The pictures to be written, by role; "output" is the fused one."""
        found = {
            "structure": self.structure,
            "alpha": self.alpha_output,
            "output": self.output,
        }
        return {role: path for role, path in found.items() if path is not None}
