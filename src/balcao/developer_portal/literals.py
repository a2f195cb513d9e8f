"""Writes example values as literals in a programming language."""

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

_IDENTIFIER = re.compile(r"[A-Za-z_]\w*")


@dataclass(frozen=True)
class Notation:
    """The syntax for JSON values in a programming language.

    `words` are the literals for true, false and null. `name` formats a member's name. `step` is the indentation for one
    level. `last` follows the last member if a list or object is written on several lines.
    """

    words: Mapping[bool | None, str]
    name: Callable[[str], str]
    step: str
    last: str = ""
    width: int = 88


def _quote(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def _name_key(name: str) -> str:
    return name if _IDENTIFIER.fullmatch(name) else _quote(name)


_JSON_WORDS = {True: "true", False: "false", None: "null"}
JSON = Notation(_JSON_WORDS, _quote, "  ")
PYTHON = Notation({True: "True", False: "False", None: "None"}, _quote, "    ", ",")
TYPESCRIPT = Notation(_JSON_WORDS, _name_key, "  ", ",")


def write_literal(value: Any, notation: Notation, indent: str = "") -> str:
    """Write a value on one line. If the value is too long, write each member on its own line.

    `indent` is the indentation of the line on which the value starts.
    """
    if value is None or isinstance(value, bool):
        return notation.words[value]
    if not isinstance(value, (list, dict)):
        return _quote(value) if isinstance(value, str) else json.dumps(value)
    deeper = indent + notation.step
    if isinstance(value, dict):
        names = [f"{notation.name(name)}: " for name in value]
        opening, closing, inner = "{", "}", list(value.values())
    else:
        names, opening, closing, inner = [""] * len(value), "[", "]", value
    members = [name + write_literal(each, notation, deeper) for name, each in zip(names, inner, strict=True)]
    pad = " " if isinstance(value, dict) and notation is TYPESCRIPT and members else ""
    line = f"{opening}{pad}{', '.join(members)}{pad}{closing}"
    if len(indent) + len(line) <= notation.width and "\n" not in line:
        return line
    body = "".join(f"{deeper}{member},\n" for member in members[:-1]) + f"{deeper}{members[-1]}{notation.last}\n"
    return f"{opening}\n{body}{indent}{closing}"
