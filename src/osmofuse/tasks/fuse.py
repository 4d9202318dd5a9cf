"""Fusion of two or more pictures in one call."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields, replace
from time import perf_counter
from typing import Any

import numpy as np

from osmofuse.errors import InputError, SettingError, did_you_mean
from osmofuse.methods import Fusion, Method, Sources, method_class, method_names
from osmofuse.methods.function_method import method_of_function
from osmofuse.picture import Picture
from osmofuse.progress import Watch, check_watch
from osmofuse.tasks.best_guess import best_guess
from osmofuse.tasks.lengths import in_pixels
from osmofuse.tasks.prepare import Given, Preparation, Prepared, prepare
from osmofuse.tasks.working_space import from_working
from osmofuse.typing import FloatArray

# Options that `fuse`, `compare` and `sweep` pass on to `prepare`.
PREPARING = ("valid", *(field.name for field in fields(Preparation)))
ANY_SIZE = (100, 100)  # size used to check settings before pictures are read


def fuse(
    foreground: Given | Prepared,
    background: Given | Sequence[Given] | None = None,
    alpha: Given | Sequence[Given] | None = None,
    *,
    method: str | Method = "variational",
    watch: Watch | None = None,
    **options: Any,
) -> Fusion:
    """Fuse the structure of one picture into the colours of another.

    Parameters
    ----------
    foreground : array, (rows, cols) or (rows, cols, channels), Picture, or Prepared
        The picture whose colours are kept. uint8, uint16, or floats with 1.0 for white. Or the
        result of `osmofuse.prepare`, without background and alpha.
    background : array or Picture, or a list of them
        The picture whose structure enters; of the same size, with as many channels or one. Masked
        samples of a masked array are not valid.
    alpha : array, Picture or number, "auto", or a list
        1 where the foreground is kept, 0 where the background's structure enters; "auto" estimates
        a map from the two pictures, see `osmofuse.maps.auto_alpha`. With several
        backgrounds one for each picture, foreground first; they sum to 1. Without it, variational
        osmosis adds what the foreground lacks; other methods take 0.5. A number asks for the
        paper's model, see :doc:`real-pictures`.
    method : str or Method
        The name of a method, an instance of one, or a function of your own, see :doc:`methods`.
    watch : callable, optional
        Called with a `Progress` at intervals; if it returns True the fusion stops as it is.
    **options
        Options of `osmofuse.prepare`, e.g. ``valid=mask`` or ``levels="match"``, and settings of
        the named method or function, e.g. ``eta=0.01``. A ``reach`` may be a text like ``"2 %"``.

    Returns
    -------
    Fusion
        Its `image` is the fused picture: white at 1.0, not clipped. `Fusion.picture` converts it
        for a file.

    Raises
    ------
    InputError, MismatchError
        A picture cannot be used, or the pictures do not fit together.
    SettingError
        The method or a setting is unknown or out of range.

    Examples
    --------
    >>> import numpy as np
    >>> import osmofuse
    >>> page = np.full((8, 8, 3), 200, np.uint8)
    >>> infrared = np.full((8, 8), 180, np.uint8)
    >>> osmofuse.fuse(page, infrared, alpha=0.5).image.shape
    (8, 8, 3)
    """
    check_watch(watch)
    how, settings = split_options(options)
    if isinstance(method, str):
        method_of(method, in_pixels(settings, ANY_SIZE))  # check settings before the work
    ready = prepared_of(foreground, background, alpha, how)
    settings = best_guess(method, settings, ready.given)
    chosen = method_of(method, in_pixels(settings, ready.sources.shape))
    ready = ready.for_method(chosen)
    return finished(run_method(chosen, ready.sources, watch), ready)


def run_method(
    method: Method,
    sources: Sources,
    watch: Watch | None,
    *,
    call: Callable[[], Fusion] | None = None,
) -> Fusion:
    """Call a method; add the method and its run time to the fusion, where they are missing.

    If a method returns the fusion of another one, the plan and the data for `Fusion.extend`, which
    belong to the other, are removed. `call` is another way to run the method, e.g. with a plan.
    """
    began = perf_counter()
    fusion = method(sources, watch=watch) if call is None else call()
    seconds = perf_counter() - began
    if not isinstance(fusion, Fusion):
        raise SettingError(f"method: it gave a {type(fusion).__name__}; must give a Fusion")
    if np.shape(fusion.image) != sources.foreground.shape:
        raise SettingError(
            f"method: it gave a picture of shape {np.shape(fusion.image)}; must have that of the "
            f"foreground, {sources.foreground.shape}"
        )
    if type(fusion.method) is type(method):
        return fusion
    return replace(
        fusion, method=method, seconds=fusion.seconds or seconds, plan=None, sources=None
    )


def split_options(options: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the options of `prepare`, and the rest, which are settings of a method."""
    how = {name: value for name, value in options.items() if name in PREPARING}
    return how, {name: value for name, value in options.items() if name not in PREPARING}


def check_preparing(options: Mapping[str, Any]) -> None:
    """Refuse options that `prepare` does not have."""
    for name in options:
        if name not in PREPARING:
            raise SettingError(
                f"{name}: unknown{did_you_mean(name, PREPARING)}; there are {', '.join(PREPARING)}"
            )


def prepared_of(
    foreground: Given | Prepared,
    background: Given | Sequence[Given] | None,
    alpha: Given | Sequence[Given] | None,
    options: Mapping[str, Any],
) -> Prepared:
    """Return prepared pictures; prepare them if they are not."""
    if not isinstance(foreground, Prepared):
        if background is None:
            raise InputError("background: missing; give the picture whose structure enters")
        return prepare(foreground, background, alpha, **options)
    given = {"background": background, "alpha": alpha, **options}
    if clash := [name for name, value in given.items() if value is not None]:
        raise InputError(
            f"{', '.join(clash)}: the pictures are prepared already; leave it out, or give it to "
            "osmofuse.prepare; prepared.with_map(alpha) changes the map"
        )
    return foreground


def finished(fusion: Fusion, ready: Prepared) -> Fusion:
    """Return a fusion converted to the encoding of its foreground, with the foreground."""
    space, profile = ready.preparation.working_space, ready.foreground.profile
    if space == "encoded":
        return replace(fusion, foreground=ready.foreground)
    structure = fusion.structure
    return replace(
        fusion,
        image=from_working(fusion.image, space, profile),
        structure=None if structure is None else from_working(structure, space, profile),
        foreground=ready.foreground,
        sources=None,  # cannot be extended: the extension would start from here in linear light
    )


def scored_pictures(ready: Prepared) -> tuple[Picture, Picture, FloatArray]:
    """Return foreground, background and alpha for metrics."""
    return ready.foreground.filled(), scored_background(ready), ready.sources.alpha


def scored_background(ready: Prepared) -> Picture:
    """Return the background for metrics: 0 where it has no data."""
    background, valid = ready.backgrounds[0].colour, ready.sources.valid
    if valid is None:
        return Picture(background)
    known = valid if background.ndim == 2 else valid[..., np.newaxis]
    return Picture(np.where(known, background, background.dtype.type(0)))


def method_of(method: str | Method, settings: Mapping[str, Any]) -> Method:
    """Return a method from a name or a function, with its settings; or the given instance."""
    if not isinstance(method, str) and not inspect.isroutine(method):
        if isinstance(method, type) or not callable(method):
            raise SettingError(
                f"method: {method!r}; give a name ({', '.join(method_names())}), a function, or an "
                "instance of a method"
            )
        if settings:
            raise SettingError(
                f"{', '.join(settings)}: give settings to the method itself, "
                f"{type(method).__name__}(...), or name the method by a string"
            )
        return method
    kind: Any = method_class(method) if isinstance(method, str) else method_of_function(method)
    known = [field.name for field in fields(kind)]
    if unknown := [name for name in settings if name not in known]:
        hint = did_you_mean(unknown[0], known) or did_you_mean(unknown[0], PREPARING)
        if unknown[0] == "recipe":
            hint = f"; use osmofuse.recipe({settings['recipe']!r}).fuse(...)"
        raise SettingError(
            f"{', '.join(unknown)}: no setting of {_name(method)!r}{hint}; its settings are "
            f"{', '.join(known) or 'none'}"
        )
    made: Method = kind(**settings)
    return made


def _name(method: str | Method) -> str:
    return method if isinstance(method, str) else getattr(method, "__name__", "")
