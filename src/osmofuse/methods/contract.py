"""Contract of fusion methods: the result `Fusion`, and the protocols that methods may follow."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field, fields
from typing import Any, Protocol, TypeGuard, runtime_checkable

from numpy.typing import DTypeLike

from osmofuse.checks import number
from osmofuse.errors import OsmofuseError, SettingError
from osmofuse.methods.sources import Sources
from osmofuse.optimise.plan import Plan
from osmofuse.picture import Picture
from osmofuse.pixels import summary
from osmofuse.progress import Status, Step, Watch
from osmofuse.typing import FloatArray

# Bounds of settings that several methods have.
NEAREST = 1e-3  # pixels; a shorter reach changes no sample
FARTHEST = 1e6  # pixels; larger than any picture
# In single precision samples of white 1 + 100 are 7.6e-6 apart, half a level of 16 bits: levels
# stay distinct. With 1000 eight of them would become one.
LARGEST_OFFSET = 100.0
MOST_ITERATIONS = 1_000_000  # a limit on settings; far more than any solver needs


@dataclass(frozen=True, eq=False, repr=False)
class Fusion:
    """Result of a method.

    In a notebook it is displayed as its image: taken for sRGB, clipped and reduced.

    Attributes
    ----------
    image : array
        Fused picture, of the foreground's shape; white at 1.0, not clipped.
    structure : array or None
        Structure image v, for methods that have one; None where it was cancelled.
    energy : array or None
        float64, one number for each channel, for methods that minimise one; None where the flow
        was cancelled.
    reach : float or None
        Distance over which osmosis has acted, in pixels, for methods that measure it.
    history : tuple of Step
        One entry for each accepted iteration.
    status : Status
        How it ended.
    seconds : float
        Run time, without the compilation of kernels.
    method : Method
        Settings it was made with.
    plan : Plan or None
        Steps of the flow, to be repeated by the method's `run`.
    sources : Sources or None
        Pictures it was made from, for `extend`.
    foreground : Picture or None
        Picture whose depth, profile and metadata `picture` takes.
    chosen : mapping of str to float
        Values of the settings that were "auto".
    notes : tuple of str
        Notes for the user on what was chosen, and on the pictures.
    alpha : array or None
        Map that a target found: 1 where nothing of the backgrounds enters.
    """

    image: FloatArray
    structure: FloatArray | None = None
    energy: FloatArray | None = None
    reach: float | None = None
    history: tuple[Step, ...] = ()
    status: Status = Status.direct
    seconds: float = 0.0
    method: Method | None = None
    plan: Plan | None = None
    sources: Sources | None = None
    foreground: Picture | None = None
    chosen: Mapping[str, float] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    alpha: FloatArray | None = None

    def __repr__(self) -> str:
        return f"Fusion({summary(self.image)}, {self.status})"

    def _repr_png_(self) -> bytes | None:
        """Return the picture for a notebook; None if it cannot be shown."""
        from osmofuse.io.screen import as_png

        with suppress(OsmofuseError):
            return as_png(Picture(self.image))
        return None

    def picture(
        self, depth: DTypeLike | None = None, *, structure: bool = False
    ) -> tuple[Picture, int]:
        """Return the fused picture as the command writes it.

        Parameters
        ----------
        depth : dtype, optional
            uint8, uint16, float32, ...; the foreground's if not given.
        structure : bool
            Return the structure instead of the image, for methods that have one.

        Returns
        -------
        tuple of Picture and int
            With the foreground's profile, metadata, transparency and no-data value; how many
            samples were clipped.
        """
        samples = self.structure if structure else self.image
        if samples is None:
            raise SettingError("structure: this fusion has none")
        like = Picture(samples) if self.foreground is None else self.foreground
        return like.with_samples(samples, depth=depth)

    def extend(self, reach: float, *, watch: Watch | None = None) -> Fusion:
        """Continue to a larger reach, for methods that have one."""
        if not isinstance(self.method, Extendable):
            raise SettingError(f"method: {type(self.method).__name__} has no reach to extend")
        return self.method.extend(self, reach, watch=watch)


def extendable(fusion: Fusion, reach: float) -> Sources:
    """Return the sources of a fusion, checked to have a reach below this one."""
    number("reach", reach, least=NEAREST, most=FARTHEST, infinite=True)
    if fusion.sources is None or fusion.reach is None:
        raise SettingError("reach: this fusion has none to extend")
    if not fusion.status.is_success:
        raise SettingError(f"reach: this fusion ended as {fusion.status}; fuse the pictures again")
    if reach < fusion.reach:
        raise SettingError(f"reach: {reach!r}; this fusion has come to {fusion.reach} already")
    return fusion.sources


class Method(Protocol):
    """Fusion method: a frozen dataclass of settings, called on sources."""

    def __call__(self, sources: Sources, *, watch: Watch | None = None) -> Fusion:
        """Fuse the sources."""
        ...


def settings_of(method: Method | None) -> dict[str, Any]:
    """Return the settings of a method as a record has them.

    An object, such as a user's regulariser, is ``{"object": name of its class}``: a record
    with one cannot be repeated.
    """
    given: Any = method
    values = {one.name: getattr(given, one.name) for one in fields(given)}
    return {
        name: value if _is_plain(value) else {"object": type(value).__name__}
        for name, value in values.items()
    }


def _is_plain(value: object) -> bool:
    if isinstance(value, list | tuple):
        return all(map(_is_plain, value))
    return value is None or isinstance(value, bool | int | float | str)


@runtime_checkable
class Extendable(Method, Protocol):
    """Method whose fusions can be continued to a larger reach: see `Fusion.extend`."""

    def extend(self, fusion: Fusion, reach: float, *, watch: Watch | None = None) -> Fusion:
        """Continue a fusion made with these settings to a larger reach."""
        ...


@runtime_checkable
class Replayable(Method, Protocol):
    """Method that can record its steps as a plan, and repeat one: see `is_replayable`."""

    @property
    def has_plan(self) -> bool:
        """True if it has a plan with these settings."""
        ...

    def plan(self, sources: Sources) -> Plan:
        """Return the plan for the sources."""
        ...

    def run(self, sources: Sources, plan: Plan, *, watch: Watch | None = None) -> Fusion:
        """Follow a plan: the same plan gives the same pixels."""
        ...


class PreparedMethod(Protocol):
    """Sources prepared by a method for many fusions: see `Preparable`."""

    def serves(self, settings: Any) -> bool:
        """Return True if they also serve a method of the same kind with other settings."""
        ...

    def solve_with(self, settings: Any, *, watch: Watch | None = None) -> Fusion:
        """Fuse with other settings: the same pixels as a call of that method."""
        ...


@runtime_checkable
class Preparable(Method, Protocol):
    """Method that computes once what settings do not change: see `is_preparable`."""

    @property
    def can_prepare(self) -> bool:
        """True if it does with these settings."""
        ...

    def prepare(self, sources: Sources) -> PreparedMethod:
        """Compute what settings do not change, for many fusions of the same pictures."""
        ...


@runtime_checkable
class Structured(Method, Protocol):
    """Method with a structure, the `Fusion.structure`: see `finds_structure`."""

    @property
    def has_structure(self) -> bool:
        """True if it has one with these settings."""
        ...


@runtime_checkable
class SoftMapped(Method, Protocol):
    """Method under which hard edges of the map are visible: see `needs_soft_map`."""

    @property
    def wants_soft_map(self) -> bool:
        """True if they are with these settings."""
        ...


@runtime_checkable
class Mapless(Method, Protocol):
    """Method that finds by itself where a background enters: see `needs_no_map`."""

    @property
    def finds_map(self) -> bool:
        """True if it does with these settings."""
        ...


def is_replayable(method: Method) -> TypeGuard[Replayable]:
    """Return True for a method that, with its settings, can follow a plan."""
    return isinstance(method, Replayable) and method.has_plan


def is_preparable(method: Method) -> TypeGuard[Preparable]:
    """Return True for a method that, with its settings, prepares sources once for many."""
    return isinstance(method, Preparable) and method.can_prepare


def needs_no_map(method: Method) -> bool:
    """Return True for a method that, with its settings, finds where a background enters."""
    return isinstance(method, Mapless) and method.finds_map


def needs_soft_map(method: Method) -> bool:
    """Return True for a method that, with its settings, shows hard edges of the map."""
    return isinstance(method, SoftMapped) and method.wants_soft_map


def finds_structure(method: Method) -> bool:
    """Return True for a method that, with its settings, has a structure."""
    return isinstance(method, Structured) and method.has_structure
