"""Base of jobs that fuse: the pictures, and their preparation."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

import numpy as np

from osmofuse.checks import choice, number
from osmofuse.errors import SettingError
from osmofuse.jobs.files import InputFile, given, named_as, read_pictures
from osmofuse.jobs.job import FileJob, R_co
from osmofuse.maps.auto_alpha import AutoAlpha
from osmofuse.methods import Method
from osmofuse.picture import Picture
from osmofuse.pixels import DEPTHS
from osmofuse.record import Input, Record
from osmofuse.registration import Transform
from osmofuse.tasks.aligned import Laid
from osmofuse.tasks.prepare import Preparation, Prepared, check_invertible, prepare, role_of
from osmofuse.tasks.recipe import Recipe


@dataclass(frozen=True)
class SourcesJob(FileJob[R_co]):
    """Base of jobs that fuse pictures.

    Parameters
    ----------
    foreground : path
        Picture whose colours are kept.
    backgrounds : path, or tuple of path
        Picture whose structure enters, or several.
    output : path
        Output to write.
    alpha : number, path, or "auto"; or tuple of number and path
        1 where the foreground is kept, 0 where the background's structure enters: the same
        everywhere, a picture of a map, or a map made from the two pictures; None leaves it to the
        method. With several backgrounds one for each picture, foreground first.
    soften : float, 0 to 1000, or str
        Standard deviation of a blur of the map, in pixels, or as "2 %" of the side of a square as
        large as the picture; see `osmofuse.soften`.
    invert : bool
        The map is white where the background enters.
    levels : {"as-is", "percentiles", "match"}
        Adjustment of the background's range before fusing.
    working_space : {"encoded", "linear"}
        Fuse samples as stored, or proportional to light.
    align : mapping, optional
        Align the background first: ``method``, ``transform`` and ``deformation`` as for
        `osmofuse.align`, with the defaults there.
    depth : {"uint8", "uint16", "float32"}, optional
        Depth of the results; by default the foreground's.
    truth : path, optional
        Ground truth, for scores.
    recipe : mapping, optional
        ``name`` and ``sha256`` of the recipe used, for the record.
    """

    foreground: Path
    backgrounds: tuple[Path, ...]
    output: Path
    alpha: float | Path | Literal["auto"] | tuple[float | Path | Literal["auto"], ...] | None = 0.5
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
            self.align, self.levels, self.working_space, self.soften, invert=self.invert
        )
        self._put("align", how.alignment)
        choice("depth", self.depth, (None, *DEPTHS))

    def _check_alpha(self) -> None:
        if not self.backgrounds:
            raise SettingError("background: missing; give the picture whose structure enters")
        self._check_count()
        for one in self.maps:
            if self.invert:
                check_invertible(one, several=len(self.backgrounds) > 1)
            if one is not None and not isinstance(one, Path | str):
                number("alpha", one, most=1.0)
        if self.soften and not any(isinstance(one, Path | str) for one in self.maps):
            raise SettingError("soften: alpha is a number, which has no edges; give a map")

    def _check_count(self) -> None:
        """Check the number of maps against the number of pictures."""
        count, maps = len(self.backgrounds) + 1, self.maps
        if self.alpha is None:
            return
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
        """Map, or one for each picture."""
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
        """Pictures that are fused, and their maps, by role."""
        found = {"foreground": self.foreground}
        found |= dict(zip(self.background_roles, self.backgrounds, strict=True))
        named = zip(self.alpha_roles, self.maps, strict=True)
        return found | {role: one for role, one in named if isinstance(one, Path)}

    @property
    def pictures(self) -> dict[str, Path]:
        """Pictures to be read, by role."""
        return self.sources | given({"truth": self.truth})

    @property
    def names(self) -> dict[str, Path]:
        """Files by the argument of `osmofuse.prepare` for which they are read."""
        found = dict(self.sources)
        if len(self.backgrounds) > 1:
            found |= {f"background[{k}]": one for k, one in enumerate(self.backgrounds)}
            maps = enumerate(self.maps)
            found |= {f"alpha[{k}]": one for k, one in maps if isinstance(one, Path)}
        return found

    @classmethod
    def with_settings_of(cls, chosen: Recipe, parts: Mapping[str, Any]) -> dict[str, Any]:
        """Return parts of the job with the method and the settings of a recipe.

        Given parts win. With another method, the recipe's settings are ignored.
        """
        method = parts.get("method", chosen.method)
        own = chosen.settings if method == chosen.method else {}
        return {**parts, "method": method, "settings": {**own, **parts.get("settings", {})}}

    @classmethod
    def parts_of(cls, record: Record) -> dict[str, Any]:
        """Return the fields of the job that a record holds, except files."""
        background = record.input("background")
        parts = {
            "soften": (record.alpha or {}).get("soften", 0.0),
            "invert": (record.alpha or {}).get("invert", False),
            "working_space": record.working_space,
            "align": record.transform and record.transform.get("settings"),
            "depth": record.output.get("depth"),
            "recipe": record.recipe,
        }
        if background is not None and background.levels is not None:
            parts["levels"] = background.levels
        return super().parts_of(record) | parts


def _path_of(alpha: Any) -> Any:
    """Return a Path for text other than "auto"; other values unchanged."""
    return Path(alpha) if isinstance(alpha, str) and alpha != "auto" else alpha


@dataclass(frozen=True, eq=False)
class Opened:
    """Files of a job, ready to be fused."""

    ready: Prepared
    inputs: tuple[Input, ...]  # entries of the files, for the record
    notes: tuple[str, ...]  # on the files and their preparation, for a person
    alpha: dict[str, Any] | None  # entry of the map, or of the maps, in the record
    alpha_depth: np.dtype[np.generic]  # of the map's file; uint16 without one, or if it was changed
    truth: Picture | None = None
    tried: tuple[Prepared, ...] = ()  # pictures with each map, if several are tried

    @property
    def transform(self) -> dict[str, Any] | None:
        """Transform of the first background to the foreground, for the record."""
        first = self.ready.transforms[0]
        return None if first is None else laid_entry(first)

    def notes_for(self, job: SourcesJob[Any], methods: Mapping[str, Method]) -> tuple[str, ...]:
        """Return the notes, with those on the maps for these methods."""
        found = list(self.notes)
        for one, path in zip(self.tried or (self.ready,), job.maps, strict=False):
            for note in one.notes_for(methods):
                found.append(f"{path}: {note.removeprefix('alpha: ')}")
        return tuple(found)


def open_files(job: SourcesJob[Any], files: Mapping[str, InputFile], folder: Path) -> Opened:
    """Read and prepare the files of a job, for a record in a folder."""
    read = read_pictures(files)
    read_files = job.inputs_of(files, folder)
    maps = [read.get(role, one) for role, one in zip(job.alpha_roles, job.maps, strict=True)]
    first = _first(job)
    with named_as(_names(job, first)):
        ready = prepare(
            read["foreground"],
            [read[role] for role in job.background_roles],
            maps if isinstance(job.alpha, tuple) and not job.tries_maps else maps[first],
            align=job.align,
            levels=job.levels,
            working_space=job.working_space,
            soften=job.soften,
            invert=job.invert,
        )
    tried = tuple(_with_maps(job, ready, maps, first)) if job.tries_maps else ()
    noted = ready.noted
    for role, one in zip(job.alpha_roles, tried, strict=False):
        noted = noted | {role: one.noted.get("alpha", ())}
    inputs = tuple(_with_notes(one, job, noted) for one in read_files)
    made = next((one.made for one in (ready, *tried) if one.made is not None), None)
    notes = job.notes_of(inputs) if made is None else (*job.notes_of(inputs), made.words)
    depth = _alpha_depth(job, read, ready)
    return Opened(
        ready, inputs, notes, _alpha_entry(job, ready, made), depth, read.get("truth"), tried
    )


def _first(job: SourcesJob[Any]) -> int:
    """Return the index of the map for the preparation: a file or "auto" if there is one."""
    edged = [k for k, one in enumerate(job.maps) if isinstance(one, Path | str)]
    return [*edged, 0][0]


def _names(job: SourcesJob[Any], first: int) -> dict[str, Path]:
    """Return the files by argument of `prepare`; "alpha" is the map used."""
    taken = job.maps[first]
    return job.names | ({"alpha": taken} if job.tries_maps and isinstance(taken, Path) else {})


def _with_maps(
    job: SourcesJob[Any], ready: Prepared, maps: Sequence[Any], first: int
) -> Iterator[Prepared]:
    """Yield the pictures with each map; they are already prepared with the first."""
    for k, (one, path) in enumerate(zip(maps, job.maps, strict=True)):
        with named_as({"alpha": path} if isinstance(path, Path) else {}):
            yield ready if k == first else ready.with_map(one)


def _alpha_depth(
    job: SourcesJob[Any], read: Mapping[str, Picture], ready: Prepared
) -> np.dtype[np.generic]:
    valid = ready.sources.valid
    changed = job.soften or (valid is not None and not valid.all())
    if "alpha" not in read or changed:
        return np.dtype(np.uint16)
    return read["alpha"].depth


def _alpha_entry(
    job: SourcesJob[Any], ready: Prepared, made: AutoAlpha | None
) -> dict[str, Any] | None:
    if job.alpha is None:
        return None
    values = [_value(one) for one in job.maps]
    blur = ready.preparation.soften_for(ready.sources.shape)
    entry: dict[str, Any] = {"value": values if isinstance(job.alpha, tuple) else values[0]}
    entry |= {"soften": blur} | ({"invert": True} if job.invert else {})
    if made is not None:
        entry |= {"agreement": made.agreement, "reduced": made.factor, "made": made.words}
    return entry


def _value(alpha: Any) -> float | str | None:
    """Return the value of a map for the record: a number, "auto", or None for a file."""
    if isinstance(alpha, Path):
        return None
    return alpha if isinstance(alpha, str) else float(alpha)


def _with_notes(entry: Input, job: SourcesJob[Any], noted: Mapping[str, tuple[str, ...]]) -> Input:
    """Return an input entry with its levels and notes."""
    levels = job.levels if entry.role in job.background_roles else None
    notes = (*entry.notes, *noted.get(entry.role, ()))
    return replace(entry, levels=levels, notes=notes)


def laid_entry(laid: Laid) -> dict[str, Any]:
    """Return the alignment of a background, for the record."""
    return transform_entry(laid.transform) | {"settings": laid.settings, "score": laid.score}


def transform_entry(transform: Transform) -> dict[str, Any]:
    """Return a transform for the record: points (x, y), from background to foreground."""
    bent = transform.deformation
    field = bent and {"shape": bent.shape, "shifts": bent.shifts}
    return {"kind": transform.kind, "matrix": transform.matrix, "deformation": field}
