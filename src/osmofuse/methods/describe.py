"""Settings of methods, read from their dataclasses and docstrings.

A method's docstring, or that of a base class, is the one place that states the meaning of a
setting, its range and when to change it; the command line and the docs read it from here.
"""

from __future__ import annotations

import inspect
import math
import re
import types
import unicodedata
from dataclasses import dataclass, fields
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from osmofuse.methods.catalogue import method_class


@dataclass(frozen=True)
class Setting:
    """Setting of a method.

    `symbol` is the letter of the paper, e.g. "η", or empty; `kinds` are the annotated types, one
    for each alternative of a union; `range` is that of a number as the docstring states it, e.g.
    "0 to 1e4, or inf", or empty; `words` are the meaning, and when to change it.
    """

    name: str
    symbol: str
    kinds: tuple[Any, ...]
    default: Any
    range: str
    words: str

    @property
    def choices(self) -> tuple[str, ...]:
        """Allowed words."""
        literal = [get_args(kind) for kind in self.kinds if get_origin(kind) is Literal]
        words = [str(word) for words in literal for word in words]
        words += ["true", "false"] * (bool in self.kinds)
        return (*words, *(["none"] if type(None) in self.kinds else []))

    @property
    def values(self) -> str:
        """Allowed values in words: the range of a number, or the choices."""
        named = [word for word in self.choices if word not in self.range]
        return ", or ".join(part for part in (self.range, ", ".join(named)) if part)


@dataclass(frozen=True)
class MethodInfo:
    """Description of a method: the first line of its docstring, and its settings in order."""

    name: str
    summary: str
    settings: tuple[Setting, ...]


def describe(name: str) -> MethodInfo:
    """Return the description of a method and of its settings.

    Examples
    --------
    >>> eta = describe("variational").settings[0]
    >>> eta.name, eta.symbol, eta.default, eta.range
    ('eta', 'η', 0.1, '0 to 1e4')
    """
    kind: Any = method_class(name)
    docstring = inspect.getdoc(kind) or ""
    hints, entries = get_type_hints(kind), dict[str, tuple[str, str]]()
    for base in reversed(kind.__mro__):
        entries |= _parameters(inspect.cleandoc(base.__doc__ or ""))
    settings = []
    for one in fields(kind):
        heading, words = entries.get(one.name, ("", ""))
        symbol, words = _symbol_and_words(words)
        # Objects cannot be typed, so protocols are left out.
        every = _alternatives(hints[one.name])
        kinds = tuple(k for k in every if not getattr(k, "_is_protocol", False))
        settings.append(Setting(one.name, symbol, kinds, one.default, _range(heading), words))
    summary = _plain(docstring.partition("\n")[0])
    return MethodInfo(name, summary, tuple(settings))


def shown(value: object) -> str:
    """Return a value of a setting as it is typed on the command line."""
    if isinstance(value, tuple | list):
        return ",".join(map(shown, value))
    if value is None or isinstance(value, bool):
        return str(value).lower()
    return f"{value:g}" if isinstance(value, float) else str(value)


def _alternatives(kind: Any) -> tuple[Any, ...]:
    return get_args(kind) if get_origin(kind) in (Union, types.UnionType) else (kind,)


def _parameters(docstring: str) -> dict[str, tuple[str, str]]:
    """Return the type line and the text of each entry of the section "Parameters"."""
    section = re.search(r"^Parameters\n-+\n(.*?)(?=^\w[^\n]*\n-+$|\Z)", docstring, re.M | re.S)
    if section is None:
        return {}
    entries = re.findall(r"^(\w[\w, ]*) : ([^\n]*)\n((?:[ \t]+[^\n]*\n?|\n)*)", section[1], re.M)
    return {
        name.strip(): (heading, " ".join(words.split()))
        for names, heading, words in entries
        for name in names.split(",")
    }


def _range(heading: str) -> str:
    """Return the range in a type line: of "float, 0 to 1e4, or inf", "0 to 1e4, or inf"."""
    found = re.search(r"[\d.e+-]+ to (?:below )?[\d.e+-]+(?:, or (?:inf|None))*", heading)
    return "" if found is None else found[0].replace("None", "none")


def _symbol_and_words(text: str) -> tuple[str, str]:
    """Return the letter after a comma in the text, and the text without it."""
    found = re.search(r",\s:math:`([^`]*)`(?=[.;:,])", text)
    if found is None:
        return "", _plain(text)
    return _letters(found[1]), _plain(text[: found.start()] + text[found.end() :])


def _plain(text: str) -> str:
    """Return text without markup, and with the letters of its formulas."""
    text = re.sub(r":math:`([^`]*)`", lambda found: _letters(found[1]), text)
    text = re.sub(r"\*\*(.*?)\*\*", r"\1", text)
    return text.replace("``", "").replace("`", "").replace("math.inf", shown(math.inf))


def _letters(formula: str) -> str:
    r"""Return a formula with its Greek letters, e.g. ε for ``\varepsilon``."""

    def letter(found: re.Match[str]) -> str:
        try:
            return unicodedata.lookup(f"GREEK SMALL LETTER {found[1].removeprefix('var')}")
        except KeyError:
            return found[1]

    formula = re.sub(r"\\sqrt\{([^}]*)\}", r"√(\1)", formula)
    return re.sub(r"\\([a-zA-Z]+)", letter, formula)
