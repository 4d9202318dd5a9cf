"""Options made from the settings of the methods, so that the two cannot drift apart.

Each field of a method's dataclass becomes an option of its name; its type, its default and the
words of its docstring go along. Several methods may share an option.
"""

from __future__ import annotations

import inspect
import math
import re
import types
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

import click
from click.shell_completion import CompletionItem

from osmofuse.cli.numbers import number_hint
from osmofuse.methods import METHODS, method_class
from osmofuse.tasks.lengths import LENGTHS, is_part


@dataclass(frozen=True)
class Setting:
    """A setting of one method.

    Attributes
    ----------
    method, name : str
        Which it is.
    kind : type
        As it is annotated.
    default : object
        What it is if it is not given.
    words : str
        What its docstring says.
    """

    method: str
    name: str
    kind: Any
    default: Any
    words: str

    def value_of(self, text: str) -> Any:
        """Return the value that a text stands for.

        Raises
        ------
        ValueError
            It stands for none.
        """
        kinds = _alternatives(self.kind)
        if text == "none" and type(None) in kinds:
            return None
        if self.name in LENGTHS and is_part(text):
            return text
        for kind in kinds:
            value = _converted(text, kind)
            if value is not None:
                return value
        raise ValueError(f"{text!r} is not {self.metavar}{number_hint(text)}")

    @property
    def metavar(self) -> str:
        """What the help shows in the place of a value."""
        return "|".join(_metavar(kind) for kind in _alternatives(self.kind))

    @property
    def choices(self) -> list[str]:
        """The words that a value may be."""
        literal = [get_args(kind) for kind in _alternatives(self.kind)]
        words = [str(word) for words in literal for word in words if isinstance(word, str)]
        return words + ["none"] * (type(None) in _alternatives(self.kind))


def settings_of(method: str) -> list[Setting]:
    """Return the settings of a method, in their order."""
    kind: Any = method_class(method)
    hints, words = get_type_hints(kind), parameter_words(inspect.getdoc(kind) or "")
    return [
        Setting(method, one.name, hints[one.name], one.default, words.get(one.name, ""))
        for one in fields(kind)
    ]


def option_names(taken: Iterable[str]) -> dict[str, list[Setting]]:
    """Return the settings of all methods by the name of their option, without the dashes.

    Parameters
    ----------
    taken : iterable of str
        Names that the command itself has; a setting of such a name gets its method's in front.
    """
    taken, found = set(taken), dict[str, list[Setting]]()
    for method in METHODS:
        for setting in settings_of(method):
            name = setting.name.replace("_", "-")
            found.setdefault(f"{method}-{name}" if name in taken else name, []).append(setting)
    return found


def chosen_settings(
    method: str, given: Mapping[str, str], options: Mapping[str, list[Setting]]
) -> dict[str, Any]:
    """Return the settings that options ask for, as the method takes them.

    Parameters
    ----------
    method : str
        Its name.
    given : mapping of str to str
        The texts of the options that were given.
    options : mapping
        From `option_names`.

    Raises
    ------
    click.UsageError
        A setting is not the method's, or a text is no value for it.
    """
    found = {}
    for name, text in given.items():
        setting = next((one for one in options[name] if one.method == method), None)
        if setting is None:
            own = [
                f"--{name}" for name, all_ in options.items() for s in all_ if s.method == method
            ]
            raise click.UsageError(
                f"--{name} is no setting of the method {method!r}; its settings are "
                f"{', '.join(own) or 'none'}."
            )
        try:
            found[setting.name] = setting.value_of(text)
        except ValueError as error:
            raise click.UsageError(f"--{name}: {error}.") from error
    return found


class SettingOption(click.Option):
    """The option of a setting, shown in the help under the first method that has it."""

    def __init__(self, name: str, settings: list[Setting]) -> None:
        first = settings[0]
        super().__init__(
            [f"--{name}", f"setting_{name.replace('-', '_')}"],
            metavar=first.metavar,
            help=_help_of(settings),
            type=_SettingText(settings),
        )
        self.option_name, self.method = name, first.method


class _SettingText(click.types.StringParamType):
    """A text that is converted once the method is known."""

    def __init__(self, settings: list[Setting]) -> None:
        self.words = list(dict.fromkeys(word for one in settings for word in one.choices))

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        return [CompletionItem(word) for word in self.words if word.startswith(incomplete)]


def _help_of(settings: list[Setting]) -> str:
    said = {(one.words, one.default): list[str]() for one in settings}
    for one in settings:
        said[one.words, one.default].append(one.method)
    texts = list[str]()
    for (words, default), methods in said.items():
        others = f" Also of {', '.join(methods[1:])}." if len(methods) > 1 else ""
        text = f"Of {', '.join(methods)}: {words}" if texts else words + others
        texts.append(f"{text}  [default: {_shown(default)}]")
    return " ".join(texts)


def _shown(value: object) -> str:
    """Return a value as one would give it."""
    if isinstance(value, tuple):
        return ",".join(map(_shown, value))
    if value is None or isinstance(value, bool):
        return str(value).lower()
    return f"{value:g}" if isinstance(value, float) else str(value)


def _alternatives(kind: Any) -> tuple[Any, ...]:
    return get_args(kind) if get_origin(kind) in (Union, types.UnionType) else (kind,)


def _converted(text: str, kind: Any) -> Any:
    """Return a text as a kind of value, or None if it is none."""
    if get_origin(kind) is Literal:
        return text if text in get_args(kind) else None
    try:
        if kind is bool:
            return {"true": True, "false": False}.get(text)
        if kind in (int, float):
            return kind(text)
        if get_args(kind) == (float,):
            return tuple(float(part) for part in text.split(","))
    except ValueError:
        pass
    return None


def _metavar(kind: Any) -> str:
    if get_origin(kind) is Literal:
        return "|".join(map(str, get_args(kind)))
    names = {float: "NUMBER", int: "COUNT", bool: "true|false", type(None): "none"}
    return names.get(kind, "NUMBER,NUMBER…")


def parameter_words(docstring: str) -> dict[str, str]:
    """Return what the section "Parameters" of a docstring says of each, as plain text."""
    section = re.search(r"^Parameters\n-+\n(.*?)(?=^\w[^\n]*\n-+$|\Z)", docstring, re.M | re.S)
    if section is None:
        return {}
    entries = re.findall(r"^(\w[\w, ]*) : [^\n]*\n((?:[ \t]+[^\n]*\n?|\n)*)", section[1], re.M)
    return {
        name.strip(): _plain(" ".join(words.split()))
        for names, words in entries
        for name in names.split(",")
    }


def _plain(text: str) -> str:
    """Return text without its markup, and with the letters of its formulas."""
    text = re.sub(r":math:`([^`]*)`", lambda found: _letters(found[1]), text)
    text = re.sub(r"\*\*(.*?)\*\*", r"\1", text)
    return text.replace("``", "").replace("math.inf", _shown(math.inf))


def _letters(formula: str) -> str:
    """Return a formula with its Greek letters, e.g. ε for varepsilon."""

    def letter(found: re.Match[str]) -> str:
        try:
            return unicodedata.lookup(f"GREEK SMALL LETTER {found[1].removeprefix('var')}")
        except KeyError:
            return found[1]

    return re.sub(r"\\([a-zA-Z]+)", letter, formula)
