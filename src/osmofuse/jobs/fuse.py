"""Fuse picture files into another, and write a record."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from functools import partial
from pathlib import Path
from typing import Any, ClassVar, Literal

import numpy as np

from osmofuse.checks import mapping
from osmofuse.errors import SettingError
from osmofuse.io import Staging, storable
from osmofuse.jobs.files import (
    InputFile,
    Outputs,
    check_fit,
    check_job_report,
    check_outputs,
    given,
)
from osmofuse.jobs.job import Result, provenance_of
from osmofuse.jobs.marking import history_of, marked
from osmofuse.jobs.need import Need, need_of_fusion
from osmofuse.jobs.sources import Opened, SourcesJob, open_files
from osmofuse.methods import Fusion, Method, Sources
from osmofuse.methods.contract import finds_structure, is_replayable, needs_no_map, settings_of
from osmofuse.metrics import score
from osmofuse.optimise.plan import Plan
from osmofuse.picture import Picture
from osmofuse.pixels import quantise
from osmofuse.progress import Status, Watch
from osmofuse.record import Record, sha256_of_pixels
from osmofuse.report import write_report
from osmofuse.report.document import MANIFEST
from osmofuse.report.layers import seam_maps
from osmofuse.tasks.best_guess import AlphaKind, best_guess
from osmofuse.tasks.fuse import ANY_SIZE, finished, method_of, run_method, scored_background
from osmofuse.tasks.lengths import in_pixels
from osmofuse.tasks.prepare import kind_of
from osmofuse.typing import FloatArray

# Note on a fusion without effect.
_UNCHANGED = "the output is the foreground, unchanged: nothing of the background entered"
_MORE = "; give a map that is black where it is to enter, or see the method's settings"


@dataclass(frozen=True, eq=False, kw_only=True)
class FuseResult(Result):
    """Result of a `FuseJob`.

    Attributes
    ----------
    fusion : Fusion
        Result of the method.
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
        Fused picture; its record is written next to it.
    truth : path, optional
        Ground truth, for the report.
    method : str
        Name of a method.
    settings : mapping
        Settings of the method that differ from the defaults. A ``reach`` may be "2 %" of the side
        of a square as large as the picture.
    structure, alpha_output : path, optional
        Further outputs: the structure that the method found, and the map that was used.
    plan : Plan, optional
        Plan of an earlier fusion, to be followed exactly.
    iiif : str, optional
        Write a IIIF manifest with the report, for its folder at this address.
    overwrite, max_memory, report, page
        See `FileJob`.
    """

    method: str = "variational"
    settings: Mapping[str, Any] = field(default_factory=dict)
    structure: Path | None = None
    alpha_output: Path | None = None
    plan: Plan | None = None
    iiif: str | None = None

    alpha: float | Path | Literal["auto"] | tuple[float | Path | Literal["auto"], ...] | None = None

    kind: ClassVar[str] = "fuse"

    def __post_init__(self) -> None:
        super().__post_init__()
        self._put_path("structure", "alpha_output")
        mapping("settings", self.settings)
        fuser = self.fuser  # raises SettingError for an unknown method or setting
        if self.structure is not None and not finds_structure(fuser):
            raise SettingError(f"structure: {self.method!r} has none; use 'variational'")
        if self.plan is not None and not is_replayable(fuser):
            raise SettingError(f"plan: {self.method!r} supports none with these settings")
        if self.iiif is not None and self.report is None:
            raise SettingError("iiif: give the folder of a report, whose pictures it describes")

    @property
    def fuser(self) -> Method:
        """Method with its settings; lengths in per cent refer to an arbitrary size."""
        return self.fuser_for(ANY_SIZE)

    def fuser_for(self, shape: Sequence[int]) -> Method:
        """Return the method with its settings, for pictures of this size."""
        settings = best_guess(self.method, self.settings, self._alpha_kind)
        return method_of(self.method, in_pixels(settings, shape))

    @property
    def _alpha_kind(self) -> AlphaKind:
        """Kind of alpha that was given; files are maps."""
        return "map" if isinstance(self.alpha, Path | str) else kind_of(self.alpha)

    @property
    def work(self) -> str:
        """Description of the work, for messages."""
        return f"{self.foreground}: fusing it"

    @property
    def outputs(self) -> dict[str, Path]:
        """Pictures to be written, by role; "output" is the fused one."""
        return given(
            {"structure": self.structure, "alpha": self.alpha_output, "output": self.output}
        )

    def check_outputs(self, files: Mapping[str, InputFile] | None) -> None:
        """Check that the outputs can and may be written."""
        if files is None:
            check_outputs(self)
        else:
            check_job_report(self, self.report, names_shown(self), iiif=self.iiif)

    def need_of(self, files: Mapping[str, InputFile]) -> Need:
        """Check that the files fit together, and return the memory and time needed."""
        check_fit(files, aligned=self.align is not None)
        page = files["foreground"].picture
        return need_of_fusion(self, files, self.fuser_for((page.rows, page.cols)))

    def do(self, files: Mapping[str, InputFile], watch: Watch | None) -> FuseResult:
        """Fuse; write all files, or none."""
        opened = open_files(self, files, self.output.parent)
        foreground = opened.ready.foreground
        notes = opened.notes_for(self, {self.method: self.fuser})
        with Outputs(self, self.report) as outputs:
            for role in ("output", "structure"):
                outputs.probe(role, self._like_output(foreground))
            if self.alpha_output is not None:
                outputs.probe("alpha", _map_picture(opened))
            ready = opened.ready.for_method(self.fuser)
            fusion = finished(self._fuse(ready.sources, watch), ready)
            notes = (*notes, *fusion.notes)
            if fusion.status is Status.cancelled:
                return FuseResult(status=fusion.status, notes=notes, fusion=fusion)
            picture, clipped = fusion.picture(self.depth)
            output = storable(picture, self.output)
            record = self._record(opened, fusion, output, clipped)
            self._write(outputs, opened, fusion, output, record)
            if np.array_equal(picture.pixels, foreground.pixels):
                notes = (*notes, _UNCHANGED + ("" if needs_no_map(self.fuser) else _MORE))
            written = outputs.files
            if self.report is not None:
                page = write_page(self, opened, fusion, record, written, outputs.staging)
                written |= report_files(page, manifest=self.iiif is not None)
            outputs.commit(record)
        return FuseResult(
            status=fusion.status, files=written, notes=notes, record=record, fusion=fusion
        )

    def _fuse(self, sources: Sources, watch: Watch | None) -> Fusion:
        """Fuse, following the plan if there is one."""
        method = self.fuser_for(sources.shape)
        if self.plan is not None and is_replayable(method):
            follow = partial(method.run, sources, self.plan, watch=watch)
            return run_method(method, sources, watch, call=follow)
        return run_method(method, sources, watch)

    def _like_output(self, foreground: Picture) -> Picture:
        """Return a picture with the format of the output; one pixel if the depth differs."""
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
        sources, history = (self.foreground, *self.backgrounds), history_of(record)
        outputs.write("output", marked(output, sources, history))
        if self.structure is not None and fusion.structure is not None:
            structure = fusion.picture(self.depth, structure=True)[0]
            outputs.write("structure", marked(structure, sources, history))
        if self.alpha_output is not None:
            outputs.write("alpha", _map_picture(opened, fusion.alpha))

    def _record(self, opened: Opened, fusion: Fusion, output: Picture, clipped: int) -> Record:
        depth = {} if self.depth is None else {"depth": self.depth}
        result = {
            "status": str(fusion.status),
            "energy": None if fusion.energy is None else fusion.energy.tolist(),
            "reach": fusion.reach,
            "seconds": fusion.seconds,
            "clipped": clipped,
        }
        return self._record_of(
            opened.inputs,
            result,
            alpha=opened.alpha,
            transform=opened.transform,
            method={
                "name": self.method,
                "settings": settings_of(fusion.method),
                **({"chosen": dict(fusion.chosen)} if fusion.chosen else {}),
                **({"notes": list(fusion.notes)} if fusion.notes else {}),
            },
            working_space=self.working_space,
            plan=asdict(fusion.plan) if fusion.plan else None,
            output={"sha256_of_pixels": sha256_of_pixels(output.pixels), **depth},
            recipe=self.recipe,
        )

    @classmethod
    def parts_of(cls, record: Record) -> dict[str, Any]:
        """Return the fields of the job that a record holds, except files."""
        parts = {
            "method": record.method["name"],
            "settings": record.method["settings"],
            "plan": _plan_of(record),
        }
        return super().parts_of(record) | parts


def _map_picture(opened: Opened, found: FloatArray | None = None) -> Picture:
    """Return the map that was used, or found, as a picture of the foreground's size."""
    sources = opened.ready.sources
    alpha = sources.alpha if found is None else found
    shape = sources.shape + alpha.shape[2:]
    return Picture(quantise(np.broadcast_to(alpha, shape), opened.alpha_depth)[0])


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


def names_shown(job: FuseJob) -> list[str]:
    """Return the names of pictures that the report may show."""
    sources = ("foreground", *job.background_roles, *job.alpha_roles)
    return ["fused", *sources, "structure", *([] if job.truth is None else ["truth"])]


def write_page(
    job: FuseJob,
    opened: Opened,
    fusion: Fusion,
    record: Record,
    files: Mapping[str, Path],
    staging: Staging,
) -> Path:
    """Write the report of a fusion, together with the other files of the job."""
    assert job.report is not None, "a report was asked for"
    ready, fused = opened.ready, fusion.picture(job.depth)[0]
    alphas = ready.sources.alphas if fusion.alpha is None else (fusion.alpha,)
    alpha = alphas[0]
    pictures: dict[str, Picture | FloatArray] = {"fused": fused, "foreground": ready.foreground}
    pictures |= zip(job.background_roles, ready.backgrounds, strict=True)
    pictures |= zip(job.alpha_roles, alphas, strict=False)
    if fusion.structure is not None:
        pictures["structure"] = fusion.picture(job.depth, structure=True)[0]
    if opened.truth is not None:
        pictures["truth"] = opened.truth
    fused, foreground = fused.filled(), ready.foreground.filled()  # empty pixels have no score
    background = scored_background(ready)
    return write_report(
        job.report,
        pictures=pictures,
        maps=seam_maps(fused, foreground, background, alpha),
        fusion=fusion,
        scores=score(fused, foreground, background, alpha, truth=opened.truth),
        provenance=provenance_of(job, record, files),
        iiif=job.iiif,
        overwrite=job.overwrite,
        staging=staging,
    )


def report_files(page: Path, *, manifest: bool) -> dict[str, Path]:
    """Return the main files of a report, by role."""
    return {"report": page} | ({"manifest": page.with_name(MANIFEST)} if manifest else {})
