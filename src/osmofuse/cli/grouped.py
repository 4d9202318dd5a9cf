"""Commands whose help lists options in groups: pictures, where, how, output, checks."""

from __future__ import annotations

import click

# An option of one name has one meaning, so it has one group, whatever the command.
_HOW, _CHECKS = "How", "Checks"
_GROUPS = {
    "Pictures": ("page", "align", "levels", "working_space", "truth", "points"),
    "Where": ("alpha", "invert", "soften", "edge"),
    _HOW: (),
    "Output": (
        "output", "depth", "structure", "alpha_output", "valid_output", "foreground_output",
        "preview", "zoom", "report", "iiif", "rank", "overwrite", "as_json", "quiet",
    ),
    _CHECKS: ("dry_run", "max_memory"),
}  # fmt: skip


def group_of(option: str) -> str:
    """Return the group of an option; what no other group names says how the work is done."""
    return next((group for group, names in _GROUPS.items() if option in names), _HOW)


class GroupedCommand(click.Command):
    """Command whose help lists its options in groups."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options, a section for each group that has any."""
        sections: dict[str, list[tuple[str, str]]] = {group: [] for group in _GROUPS}
        helping = self.get_help_option(ctx)
        for one in self.get_params(ctx):
            line = one.get_help_record(ctx) if isinstance(one, click.Option) else None
            if line is not None:
                # Versions of click name the option of --help differently.
                is_help = helping is not None and one.name == helping.name
                sections[_CHECKS if is_help else group_of(str(one.name))].append(line)
        for title, lines in sections.items():
            if lines:
                with formatter.section(title):
                    formatter.write_dl(lines)
