"""Scores of a fused picture in a file."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from osmofuse.jobs.reading import describe_files, notes_on, read_files
from osmofuse.metrics import Score, score
from osmofuse.preparation.alpha_file import alpha_of_picture
from osmofuse.typing import FloatArray


def score_files(
    fused: Path,
    foreground: Path,
    background: Path,
    alpha: float | Path | None = None,
    *,
    truth: Path | None = None,
    metrics: str | Sequence[str] = "paper",
    depth: int | None = 8,
    page: Sequence[int] = (),
) -> tuple[dict[str, Score], tuple[str, ...]]:
    """Score a fused picture against the files that it was made from.

    Parameters
    ----------
    fused, foreground, background : Path
        The pictures.
    alpha : number or Path, optional
        What it was fused with; a file is understood as a job understands it.
    truth : Path, optional
        The right answer.
    metrics, depth
        As for `osmofuse.score`.
    page : sequence of int
        Which page of the files is read, from 1: one for all, or one for each in the order above.

    Returns
    -------
    tuple of dict of str to Score, and tuple of str
        The scores; what was noticed in the map.

    Raises
    ------
    UnreadableError, LimitError, InputError, MismatchError
        A file cannot be read or used, or the files do not fit together.
    SettingError
        A metric is unknown, or the depth.
    """
    paths = {"fused": fused, "foreground": foreground, "background": background}
    paths |= {"alpha": alpha} if isinstance(alpha, Path) else {}
    paths |= {} if truth is None else {"truth": truth}
    files = describe_files(paths, page)
    pictures = read_files(files)
    notes = tuple(
        f"{file.path}: {note}" for file in files.values() for note in notes_on(file, page)
    )
    used: float | FloatArray | None
    if isinstance(alpha, Path):
        found = alpha_of_picture(pictures["alpha"], name=str(alpha))
        used, notes = found.alpha, (*notes, *(f"{alpha}: {note}" for note in found.notes))
    else:
        used = alpha
    scores = score(
        pictures["fused"],
        pictures["foreground"],
        pictures["background"],
        used,
        truth=pictures.get("truth"),
        metrics=metrics,
        depth=depth,
    )
    return scores, notes
