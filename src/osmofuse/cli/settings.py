"""Settings of methods on the command line: five options, and ``--set NAME=VALUE`` for the rest."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Literal, get_args, get_origin

import click
from click.shell_completion import CompletionItem

from osmofuse import checks
from osmofuse.cli.options import Function, decorated, one_of
from osmofuse.cli.types import Ctx, Param, number_hint
from osmofuse.errors import OsmofuseError, did_you_mean
from osmofuse.methods import method_names
from osmofuse.methods.describe import Setting, describe
from osmofuse.tasks.lengths import LENGTHS, is_part

# Settings with an option of their own: metavar and help; `osmofuse methods` describes all.
USUAL = {
    "reach": ("PIXELS", "Let colours spread this far, also '2 %' of the side."),
    "eta": ("NUMBER", "Smooth the structure with this weight, η."),
    "mu": ("NUMBER", "Keep the structure with this weight, μ."),
    "gamma": ("NUMBER", "Hold the foreground with this weight, γ, or inf."),
    "offset": ("NUMBER", "Transfer ratios of light if small, else differences."),
}
_TYPE_NAMES = {float: "a number", int: "a whole number", bool: "true or false", type(None): "none"}
_LENGTH = "a number of pixels, text like '2 %'"  # values of a length, for messages


class Assignment(click.ParamType):  # type: ignore[type-arg]
    """Setting and its value, as ``NAME=VALUE``; the shell completes both.

    With `methods`, the name is ``METHOD.NAME``, for commands that run several methods.
    """

    def __init__(self, *, methods: bool = False) -> None:
        self.name = "METHOD.NAME=VALUE" if methods else "NAME=VALUE"
        self.methods = methods

    def convert(self, value: Any, param: Param, ctx: Ctx) -> tuple[str, str]:
        """Return the name and the text of the value."""
        if isinstance(value, tuple):
            return value
        name, equals, text = str(value).partition("=")
        name, text = name.strip(), text.strip()
        if not (name and equals and text) or (self.methods and "." not in name):
            example = "variational.eta=0.2" if self.methods else "eta=0.2"
            self.fail(f"{checks.shown(value)} is not {self.name}, e.g. {example}.", param, ctx)
        method, dot, setting = name.rpartition(".") if self.methods else ("", "", name)
        return f"{method}{dot}{setting.replace('-', '_')}", text

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        """Return names of settings with an equals sign, or the values of the named one."""
        name, equals, text = incomplete.partition("=")
        try:
            settings = {one.name: one for one in describe(ctx.params["method"]).settings}
        except (KeyError, OsmofuseError):
            return []
        if not equals:
            return [CompletionItem(f"{one}=") for one in settings if one.startswith(name)]
        words = settings[name].choices if name in settings else ()
        return [CompletionItem(f"{name}={one}") for one in words if one.startswith(text)]


def setting_options(function: Function) -> Function:
    """Add the options for a method and its settings to a command."""
    words = "Fuse by this method; osmofuse methods lists them."
    method = one_of("--method", method_names(), words, "variational")
    usual = [
        click.option(f"--{name}", metavar=metavar, help=words)
        for name, (metavar, words) in USUAL.items()
    ]
    return decorated(function, [method, *usual, set_option()])


def set_option(*, methods: bool = False) -> Callable[[Any], Any]:
    """Return the option for any setting of the method, or of several methods."""
    kind = Assignment(methods=methods)
    which = "a method; osmofuse methods lists them" if methods else (
        "the method; osmofuse methods NAME lists them"
    )  # fmt: skip
    return click.option(
        "--set", "assignments", type=kind, multiple=True, metavar=kind.name,
        help=f"Any other setting of {which}.",
    )  # fmt: skip


def chosen_settings(method: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings that options ask for, as the method takes them.

    A setting that is not the method's or is given twice, or a wrong value, raises a UsageError.
    """
    found: dict[str, Any] = {}
    for option, setting, text in _texts(method, given):
        if setting.name in found:
            raise click.UsageError(f"{option} is given twice: {setting.name} has a value already.")
        found[setting.name] = _value(option, setting, text)
    return found


def tried_settings(method: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings of a sweep: a value, or a list where several are to be tried.

    Values are separated by commas; values that contain commas need an option each.
    """
    found: dict[str, list[Any]] = {}
    for option, setting, text in _texts(method, given):
        parts = [text] if _is_sequence(setting) else text.split(",")
        values = found.setdefault(setting.name, [])
        values += [_value(option, setting, part.strip()) for part in parts]
    return {name: many if len(many) > 1 else many[0] for name, many in found.items()}


def settings_by_method(given: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """Return the settings that ``--set METHOD.NAME=VALUE`` gives, by method."""
    assigned: dict[str, list[tuple[str, str]]] = {}
    for name, text in given["assignments"]:
        method, _, setting = name.rpartition(".")
        assigned.setdefault(method, []).append((setting, text))
    return {
        method: chosen_settings(method, {"assignments": pairs})
        for method, pairs in assigned.items()
    }


def _texts(method: str, given: Mapping[str, Any]) -> Iterator[tuple[str, Setting, str]]:
    """Yield the option, the setting and the text of each setting that was given."""
    known = {one.name: one for one in describe(method).settings}
    texts = [(f"--{name}", name, given[name]) for name in USUAL if given.get(name) is not None]
    texts += [(f"--set {name}", name, text) for name, text in given["assignments"]]
    for option, name, text in texts:
        if name not in known:
            raise click.UsageError(
                f"{option} is not a setting of the method {method!r}{did_you_mean(name, known)}; "
                f"its settings are {', '.join(known) or 'none'}."
            )
        yield option, known[name], text


def _value(option: str, setting: Setting, text: str) -> Any:
    """Return the value of a setting that is given as text."""
    if text == "none" and type(None) in setting.kinds:
        return None
    if setting.name in LENGTHS and is_part(text):
        return text
    for kind in setting.kinds:
        value = _converted(text, kind)
        if value is not None:
            return value
    kinds = _TYPE_NAMES | ({float: _LENGTH} if setting.name in LENGTHS else {})
    wanted = [kinds.get(kind, "numbers separated by commas") for kind in setting.kinds
              if get_origin(kind) is not Literal]  # fmt: skip
    words = [word for word in setting.choices if word not in ("none", "true", "false")]
    hint = number_hint(text) or did_you_mean(text, words)
    allowed = " or ".join([*words, *wanted])
    raise click.UsageError(f"{option}: {checks.shown(text)} is not {allowed}{hint}.")


def _converted(text: str, kind: Any) -> Any:
    """Return a text converted to a type of value, or None if it cannot be converted."""
    if get_origin(kind) is Literal:
        return text if text in get_args(kind) else None
    try:
        if kind is bool:
            return {"true": True, "false": False}.get(text)
        if kind in (int, float, str):
            return kind(text)
        if get_args(kind) == (float,):
            return tuple(float(part) for part in text.split(","))
    except ValueError:
        pass
    return None


def _is_sequence(setting: Setting) -> bool:
    return any(get_origin(kind) is not Literal and get_args(kind) for kind in setting.kinds)
