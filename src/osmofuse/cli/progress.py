"""Progress on stderr: a moving line on a terminal, nothing elsewhere."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.status import Status as Spinner

from osmofuse.cli.interrupt import pulse
from osmofuse.cli.voice import is_quiet
from osmofuse.progress import Progress, Watch


@contextmanager
def progress_line(title: str, expected: float | None = None) -> Iterator[Watch]:
    """Show a title and, while it lasts, what the yielded watching function is told.

    Parameters
    ----------
    title : str
        What is going on.
    expected : float, optional
        How many seconds it will take, roughly.
    """
    if is_quiet():
        yield _silent
        return
    console = Console(stderr=True)
    if not console.is_terminal:
        console.print(f"{title} ...", highlight=False)
        yield _silent
        return
    with console.status(title) as spinner:
        yield _Line(title, spinner, expected)


def _silent(_: Progress) -> bool:
    """Only look whether an interrupt was lost."""
    pulse()
    return False


class _Line:
    """A watching function that writes into a line and never cancels."""

    def __init__(self, title: str, spinner: Spinner, expected: float | None = None) -> None:
        self.title, self.spinner, self.expected = title, spinner, expected

    def __call__(self, p: Progress) -> bool:
        pulse()
        place = "" if p.channel is None else f"channel {p.channel + 1} of {p.channels}, "
        reach = "" if p.reach is None else f"reach {p.reach:.1f} px, "
        energy = "" if p.energy is None else f"energy {p.energy:.5g}, "
        self.spinner.update(
            f"{self.title}: {place}{reach}iteration {p.iteration}, {energy}{p.seconds:.1f} s"
            f"{self._left(p)}"
        )
        return False

    def _left(self, p: Progress) -> str:
        """Return the time left in words, by the channels done or else by what was expected."""
        if p.channel:
            left = p.seconds * (p.channels / p.channel - 1)
        elif self.expected is not None:
            left = self.expected - p.seconds
        else:
            return ""
        return f", about {left:.0f} s left" if left >= 1 else ", about to end"
