"""Command line: one file for each command, loaded when it is called."""

from __future__ import annotations

import errno
import io
import sys
from importlib import import_module
from os.path import isfile
from typing import NoReturn

import click

from osmofuse import __version__
from osmofuse.cli import interrupt
from osmofuse.cli.output import QUIET, print_log
from osmofuse.errors import LimitError, OsmofuseError, OutputError, did_you_mean

# Names of the commands and their lines in `--help`, which must not load NumPy or Numba.
COMMANDS = {
    "fuse": "Fuse two picture files into a third, and record how it was made.",
    "align": "Align a background to its foreground, e.g. infrared to visible.",
    "matte": "Find an alpha map from a picture and a rough trimap.",
    "shadow": "Remove a shadow or a spot of light from a picture.",
    "balance": "Level the pictures of a mosaic, and blend them without seams.",
    "clone": "Copy an object from one picture into another, in its light.",
    "compact": "Reconstruct a picture from its edges.",
    "score": "Score a fused picture.",
    "compare": "Fuse a pair by several methods; with scores, times and sheets.",
    "sweep": "Fuse a pair with many settings, and draw the results side by side.",
    "info": "Print what picture files contain, and how they would be read.",
    "demo": "Fuse a synthetic manuscript page, and measure the result.",
    "recipes": "List the recipes: settings for faces, faded text, clouds and the like.",
    "methods": "List the fusion methods, and the settings of each.",
    "metrics": "List the metrics, and what each of them measures.",
}
# System errors of a full or broken disk.
_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)


class _Commands(click.Group):
    """Group that loads the file of a command when it is called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        command: click.Command = import_module(f"osmofuse.cli.{cmd_name}").command
        if QUIET not in command.params:
            command.params.append(QUIET)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        name = args[0]
        if not name.startswith("-") and name not in COMMANDS and not ctx.resilient_parsing:
            ctx.fail(f"No such command {name!r}{did_you_mean(name, COMMANDS)}.")
        # Files among the arguments of any command are pictures, or records that name some.
        if any(map(isfile, args[1:])) and not ctx.resilient_parsing:
            from osmofuse.io import start_decoder

            start_decoder()  # it starts while the command is loaded
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


_EXIT_CODES = """\b
Exit codes:
  0  done
  2  wrong usage
  3  a file cannot be read
  4  pictures do not fit together, or cannot be aligned
  5  written, but not converged, or not the same as the record
  6  more memory needed than allowed
  7  an output exists or cannot be written
  130  interrupted
"""


@click.group(
    cls=_Commands,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog=_EXIT_CODES,
)
@click.version_option(__version__, prog_name="osmofuse")
def commands() -> None:
    """Fuse two pictures: the structure of one in the colours of the other.

    To begin: osmofuse fuse VISIBLE.tif INFRARED.tif -o FUSED.tif
    """


def main() -> None:
    """Run the command line; errors become a line on stderr and an exit code."""
    interrupt.listen()
    print_log()
    if isinstance(sys.stdout, io.TextIOWrapper):
        # File names may hold bytes that are not text; they are printed as escapes.
        sys.stdout.reconfigure(errors="backslashreplace")
    try:
        code = commands(standalone_mode=False)
        sys.exit(code if isinstance(code, int) else 0)
    except OsmofuseError as error:
        click.echo(f"osmofuse: {error}", err=True)
        sys.exit(error.exit_code)
    except click.ClickException as error:
        error.show()
        sys.exit(2)
    except MemoryError:
        click.echo("osmofuse: out of memory; give it more, or smaller pictures", err=True)
        sys.exit(LimitError.exit_code)
    except click.Abort as error:
        # Click turns any EOFError into Abort, e.g. that of a library on an empty file.
        if isinstance(error.__cause__, EOFError):
            raise error.__cause__ from None
        _interrupted()
    except KeyboardInterrupt:
        _interrupted()
    except Exception as error:
        _end_unless_bug(error)
        raise


def _end_unless_bug(error: Exception) -> None:
    """Exit if an error is an interrupt or a full standard output; return if it is a bug."""
    # Numba wraps an interrupt, e.g. while it loads a kernel, in an error of its own.
    if interrupt.was_seen():
        _interrupted()
    # Written files raise OutputError, so this is standard output.
    if isinstance(error, OSError) and error.errno in _FULL:
        sys.stdout = None  # or Python would flush it again at exit
        click.echo(f"osmofuse: cannot print the result ({error.strerror})", err=True)
        sys.exit(OutputError.exit_code)


def _interrupted() -> NoReturn:
    interrupt.ignore()
    click.echo("osmofuse: interrupted", err=True)
    sys.exit(130)
