"""What differs between two texts, word by word, for people to read: marked by `ins` and `del`, said in words too."""

import difflib
import json
import re
from typing import Any, NamedTuple

from markupsafe import Markup

from balcao.console.catalogue.labels import FIELDS

# Comparing takes a time that grows with the square of a text: beyond this a text is shown whole, before and after.
LONGEST_COMPARED = 50_000
# Equal words left around a change, of a longer text.
_SHOWN_AROUND = 12
_WORD = re.compile(r"\s+|[^\s]+")
_REMOVED = Markup('<del><span class="vh">retirado: </span>{}</del>')
_ADDED = Markup('<ins><span class="vh">acrescentado: </span>{}</ins>')


class Difference(NamedTuple):
    """One field that differs, by its label."""

    label: str
    marked: Markup


def mark_differences(old: str, new: str) -> Markup:
    """Return the new text with what was added and removed marked; long parts that are equal are left out."""
    if len(old) + len(new) > LONGEST_COMPARED:
        return _REMOVED.format(old) + Markup("<br>") + _ADDED.format(new)
    before, after = _WORD.findall(old), _WORD.findall(new)
    matcher = difflib.SequenceMatcher(None, before, after, autojunk=False)
    marked = Markup("")
    for kind, begin, end, from_, to in matcher.get_opcodes():
        if kind == "equal":
            marked += _shorten(before[begin:end], is_first=begin == 0, is_last=end == len(before))
            continue
        if begin < end:
            marked += _REMOVED.format("".join(before[begin:end]))
        if from_ < to:
            marked += _ADDED.format("".join(after[from_:to]))
    return marked


def list_differences(old: dict[str, str], new: dict[str, str]) -> list[Difference]:
    """Return the fields of a form that differ, in the order of the new one."""
    return [
        Difference(FIELDS.get(name, LABELS.get(name, name)), mark_differences(old.get(name, ""), text))
        for name, text in new.items()
        if text != old.get(name, "")
    ]


# Of fields that only the form has.
LABELS = {"exclusive_for_agents": "Só para assistentes virtuais", "tool_hint": "Dica para assistentes virtuais"}


def write_value(value: Any) -> str:
    """Return a member of a service as a text to compare."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "sim" if value else "não"
    if isinstance(value, list):
        return "\n".join(write_value(one) for one in value)
    if isinstance(value, dict):
        if "titulo" in value:
            parts = (value.get(name) for name in ("titulo", "url_service", "descricao"))
            return " | ".join(str(part) for part in parts if part)
        return json.dumps(value, ensure_ascii=False, sort_keys=True)
    return str(value)


def _shorten(words: list[str], *, is_first: bool, is_last: bool) -> Markup:
    """Return equal words; of many only those next to a change."""
    if len(words) <= 4 * _SHOWN_AROUND:
        return Markup("{}").format("".join(words))
    head = [] if is_first else words[: 2 * _SHOWN_AROUND]
    tail = [] if is_last else words[-2 * _SHOWN_AROUND :]
    return Markup("{} … {}").format("".join(head), "".join(tail))
