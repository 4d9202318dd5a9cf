"""Commands whose help lists options in groups: pictures, where, how, output, checks."""

from __future__ import annotations

import click

# An option of one name has one meaning, so it has one group, whatever the command.
_HOW = "How"
_GROUPS = {
    "Pictures": ("page", "align", "levels", "working_space", "truth", "points"),
    "Where": ("alpha", "invert", "soften", "edge"),
    _HOW: (),
    "Output": (
        "output", "depth", "structure", "alpha_output", "valid_output", "foreground_output",
        "preview", "zoom", "report", "iiif", "rank", "overwrite", "as_json", "quiet",
    ),
    "Checks": ("dry_run", "max_memory"),
}  # fmt: skip


def group_of(option: str) -> str:
    """Return the group of an option; what no other group names says how the work is done."""
    return next((group for group, names in _GROUPS.items() if option in names), _HOW)


def _place(option: click.Parameter) -> int:
    """Return the place of an option in its group; those of "How" keep the command's order."""
    names = _GROUPS[group_of(str(option.name))]
    return names.index(str(option.name)) if option.name in names else 0


class GroupedCommand(click.Command):
    """Command whose help lists its options in groups."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options, a section for each group that has any; --help comes last."""
        sections: dict[str, list[tuple[str, str]]] = {group: [] for group in _GROUPS}
        help_option = self.get_help_option(ctx)
        for one in sorted(self.get_params(ctx), key=_place):
            line = one.get_help_record(ctx) if isinstance(one, click.Option) else None
            if line is not None and one is not help_option:
                sections[group_of(str(one.name))].append(line)
        last = next((lines for lines in reversed(sections.values()) if lines), sections[_HOW])
        if help_option is not None and (line := help_option.get_help_record(ctx)) is not None:
            last.append(line)
        for title, lines in sections.items():
            if lines:
                with formatter.section(title):
                    formatter.write_dl(lines)
