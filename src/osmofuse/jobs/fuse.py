"""Fuse picture files into another, with a record beside it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from functools import partial
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from osmofuse.checks import mapping
from osmofuse.errors import SettingError
from osmofuse.io import composite_metadata, storable
from osmofuse.jobs.files import InputFile
from osmofuse.jobs.fit import check_fit
from osmofuse.jobs.fuse_report import names_shown, report_files, write_page
from osmofuse.jobs.fusing import need_of_fusion
from osmofuse.jobs.job import Result
from osmofuse.jobs.need import Need, peak_bytes
from osmofuse.jobs.opening import Opened, open_files
from osmofuse.jobs.outputs import Outputs, check_outputs, check_page
from osmofuse.jobs.sources import SourcesJob
from osmofuse.methods import Fusion, Method, Sources
from osmofuse.methods.contract import finds_structure, is_replayable, settings_of
from osmofuse.optimise.plan import Plan
from osmofuse.picture import Picture
from osmofuse.pixels import quantise
from osmofuse.progress import Status, Watch
from osmofuse.record import Record, sha256_of_pixels
from osmofuse.tasks.fuse import ANY_SIZE, finished, method_of, run_method
from osmofuse.tasks.lengths import in_pixels

_UNCHANGED = (
    "the output is the foreground, unchanged: nothing of the background entered. Give a map that "
    "is black where it is to enter, or see the method's settings, e.g. threshold of poisson"
)


@dataclass(frozen=True, eq=False, kw_only=True)
class FuseResult(Result):
    """Result of a `FuseJob`.

    Attributes
    ----------
    fusion : Fusion
        What the method found.
    """

    fusion: Fusion


@dataclass(frozen=True)
class FuseJob(SourcesJob[FuseResult]):
    """Fuse picture files into another.

    Parameters
    ----------
    foreground, backgrounds, alpha, soften, levels, working_space, align, depth, recipe
        See `SourcesJob`.
    output : path
        The fused picture; its record goes beside it.
    truth : path, optional
        The right answer, where there is one, for the report.
    method : str
        Name of a method.
    settings : mapping
        The method's settings; what is not given has its default. A ``reach`` may be "2 %" of the
        side of a square as large as the picture.
    structure, alpha_output : path, optional
        Where to write the structure that the method found, and the map that was used.
    plan : Plan, optional
        Of an earlier fusion, to be followed exactly.
    iiif : str, optional
        Let the report have a IIIF manifest, for its folder at this address.
    overwrite, max_memory, report, page
        See `FileJob`.
    """

    method: str = "variational"
    settings: Mapping[str, Any] = field(default_factory=dict)
    structure: Path | None = None
    alpha_output: Path | None = None
    plan: Plan | None = None
    iiif: str | None = None

    kind: ClassVar[str] = "fuse"

    def __post_init__(self) -> None:
        super().__post_init__()
        self._put_path("structure", "alpha_output")
        mapping("settings", self.settings)
        fuser = self.fuser  # which refuses what is no method, or no setting of it
        if self.structure is not None and not finds_structure(fuser):
            raise SettingError(f"structure: {self.method!r} finds none; use 'variational'")
        if self.plan is not None and not is_replayable(fuser):
            raise SettingError(f"plan: {self.method!r} follows none with these settings")
        if self.iiif is not None and self.report is None:
            raise SettingError("iiif: give the folder of a report, whose pictures it describes")

    @property
    def fuser(self) -> Method:
        """The method with its settings; lengths in per cent are of some size."""
        return self.fuser_for(ANY_SIZE)

    def fuser_for(self, shape: Sequence[int]) -> Method:
        """Return the method with its settings for pictures of a size."""
        return method_of(self.method, in_pixels(self.settings, shape))

    @property
    def work(self) -> str:
        """The work in words."""
        return f"{self.foreground}: fusing it"

    @property
    def outputs(self) -> dict[str, Path]:
        """The pictures to be written, by role; "output" is the fused one."""
        found = {
            "structure": self.structure,
            "alpha": self.alpha_output,
            "output": self.output,
        }
        return {role: path for role, path in found.items() if path is not None}

    def check_outputs(self, files: Mapping[str, InputFile] | None) -> None:
        """Refuse outputs that cannot or must not be written."""
        if files is None:
            check_outputs(self)
        else:
            check_page(self, self.report, names_shown(self), iiif=self.iiif)

    def need_of(self, files: Mapping[str, InputFile]) -> Need:
        """Return what the job needs, once it is known that the files fit together."""
        check_fit(files, aligned=self.align is not None)
        page = files["foreground"].picture
        return need_of_fusion(self, files, self.fuser_for((page.rows, page.cols)))

    def do(self, files: Mapping[str, InputFile], watch: Watch | None) -> FuseResult:
        """Fuse, and write all files, or none."""
        opened = open_files(self, files, self.output.parent)
        foreground = opened.ready.foreground
        notes = opened.notes_for(self, {self.method: self.fuser})
        with Outputs(self, self.report) as outputs:
            for role in ("output", "structure"):
                outputs.probe(role, self._like_output(foreground))
            if self.alpha_output is not None:
                outputs.probe("alpha", _map_picture(opened))
            fusion = finished(self._fuse(opened.ready.sources, watch), opened.ready)
            if fusion.status is Status.cancelled:
                return FuseResult(status=fusion.status, notes=notes, fusion=fusion)
            picture, clipped = fusion.picture(self.depth)
            output = storable(picture, self.output)
            record = self._record(opened, fusion, output, clipped)
            self._write(outputs, opened, fusion, output, record)
            if np.array_equal(picture.pixels, foreground.pixels):
                notes = (*notes, _UNCHANGED)
            written = outputs.files
            if self.report is not None:
                page = write_page(self, opened, fusion, record, written, outputs.staging)
                written |= report_files(page, manifest=self.iiif is not None)
            outputs.commit(record)
        return FuseResult(
            status=fusion.status, files=written, notes=notes, record=record, fusion=fusion
        )

    def _fuse(self, sources: Sources, watch: Watch | None) -> Fusion:
        """Fuse, along the plan if there is one."""
        method = self.fuser_for(sources.shape)
        if self.plan is not None and is_replayable(method):
            follow = partial(method.run, sources, self.plan, watch=watch)
            return run_method(method, sources, watch, call=follow)
        return run_method(method, sources, watch)

    def _like_output(self, foreground: Picture) -> Picture:
        """Return something like the output, of a pixel if it has another depth."""
        if self.depth is None:
            return foreground
        return replace(foreground, pixels=foreground.pixels[:1, :1].astype(self.depth))

    def _write(
        self,
        outputs: Outputs,
        opened: Opened,
        fusion: Fusion,
        output: Picture,
        record: Record,
    ) -> None:
        """Write the pictures under their partial names."""
        told = _told(record)
        outputs.write("output", marked(output, self, told))
        if self.structure is not None and fusion.structure is not None:
            structure = fusion.picture(self.depth, structure=True)[0]
            outputs.write("structure", marked(structure, self, told))
        if self.alpha_output is not None:
            outputs.write("alpha", _map_picture(opened))

    def _record(self, opened: Opened, fusion: Fusion, output: Picture, clipped: int) -> Record:
        depth = {} if self.depth is None else {"depth": self.depth}
        return Record(
            job=self.kind,
            inputs=opened.inputs,
            alpha=opened.alpha,
            transform=opened.transform,
            method={"name": self.method, "settings": settings_of(fusion.method)},
            working_space=self.working_space,
            plan=asdict(fusion.plan) if fusion.plan else None,
            result={
                "status": str(fusion.status),
                "energy": None if fusion.energy is None else fusion.energy.tolist(),
                "reach": fusion.reach,
                "seconds": fusion.seconds,
                "clipped": clipped,
                "peak_bytes": peak_bytes(),
            },
            output={"sha256_of_pixels": sha256_of_pixels(output.pixels), **depth},
            recipe=self.recipe,
        )

    @classmethod
    def parts_of(cls, record: Record) -> dict[str, Any]:
        """Return the parts of the job that a record tells of, but for its files."""
        parts = {
            "method": record.method["name"],
            "settings": record.method["settings"],
            "plan": _plan_of(record),
        }
        return super().parts_of(record) | parts


def marked(picture: Picture, job: SourcesJob[Any], told: Mapping[str, Any]) -> Picture:
    """Return a picture whose metadata say that it is a composite, of what, and how it was made."""
    metadata = composite_metadata(
        picture.metadata,
        derived_from=[path.name for path in (job.foreground, *job.backgrounds)],
        history=json.dumps(told, ensure_ascii=False),
    )
    return replace(picture, metadata=metadata)


def _told(record: Record) -> dict[str, Any]:
    """Return what the metadata of the picture tell of its record."""
    parts = record.as_json()
    names = ("inputs", "alpha", "method", "working_space", "recipe", "versions")
    return {name: parts[name] for name in names if name in parts}


def _map_picture(opened: Opened) -> Picture:
    """Return the foreground's map as it was used, as a picture of the foreground's size."""
    sources = opened.ready.sources
    shape = sources.shape + sources.alpha.shape[2:]
    return Picture(quantise(np.broadcast_to(sources.alpha, shape), opened.alpha_depth)[0])


def _plan_of(record: Record) -> Plan | None:
    if record.plan is None:
        return None
    known = [one.name for one in fields(Plan)]
    for name in ("steps", "cycles"):
        if name not in record.plan:
            raise SettingError(f"plan.{name}: missing")
    if unknown := [name for name in record.plan if name not in known]:
        raise SettingError(f"plan.{unknown[0]}: unknown; there are {', '.join(known)}")
    return Plan(**record.plan)
