"""What changed between two versions, in the order of a form: words marked, lists line by line, long equal parts folded.

The services give old and new values; the words are compared here.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Any

from markupsafe import Markup, escape

# Comparing words takes more than linear time: beyond this a field is shown whole, as it was and as it is.
MOST_COMPARED = 50_000
# Of an equal part longer than this, only so many words at each end are shown.
_LONGEST_EQUAL, _SHOWN_WORDS = 60, 12
_WORD = re.compile(r"\s+|[^\W_]+|[\W_]")
_GONE = Markup('<del><span class="vh">saiu: </span>{}</del>')
_CAME = Markup('<ins><span class="vh">entrou: </span>{}</ins>')
_FOLDED = Markup(' <span class="muted">[…]</span> ')


@dataclass(frozen=True)
class Change:
    """One field that differs: its label, and what became of it with the words marked."""

    label: str
    marked: Markup


def compare(labels: Mapping[str, str], old: Mapping[str, Any], new: Mapping[str, Any]) -> list[Change]:
    """Return the fields that differ, in the order of their labels."""
    return [
        Change(label, compare_values(old.get(name), new.get(name)))
        for name, label in labels.items()
        if _normalise(old.get(name)) != _normalise(new.get(name))
    ]


def compare_values(old: Any, new: Any) -> Markup:
    """Return a value with its change marked: of lists the lines, of all else the words."""
    if isinstance(old, list) or isinstance(new, list):
        return _compare_lines([_to_text(one) for one in old or []], [_to_text(one) for one in new or []])
    return compare_texts(_to_text(old), _to_text(new))


def compare_texts(old: str, new: str) -> Markup:
    """Return the new text with the words that came and those that went."""
    if len(old) + len(new) > MOST_COMPARED:
        return _mark_gone(old) + _mark_come(new)
    before, after = _WORD.findall(old), _WORD.findall(new)
    parts: list[Markup] = []
    for kind, i, j, k, m in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        if kind == "equal":
            parts.append(_fold(after[k:m]))
        else:
            parts += [_mark_gone("".join(before[i:j])), _mark_come("".join(after[k:m]))]
    return Markup("").join(parts)


def _compare_lines(old: Sequence[str], new: Sequence[str]) -> Markup:
    lines: list[Markup] = []
    for kind, i, j, k, m in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if kind == "equal":
            lines += [escape(one) for one in new[k:m]]
        elif kind == "replace" and j - i == m - k:
            lines += [compare_texts(before, after) for before, after in zip(old[i:j], new[k:m], strict=True)]
        else:
            lines += [_mark_gone(one) for one in old[i:j]] + [_mark_come(one) for one in new[k:m]]
    return Markup("<ul>{}</ul>").format(Markup("").join(Markup("<li>{}</li>").format(line) for line in lines))


def _fold(words: Sequence[str]) -> Markup:
    if len(words) <= _LONGEST_EQUAL:
        return escape("".join(words))
    return escape("".join(words[:_SHOWN_WORDS])) + _FOLDED + escape("".join(words[-_SHOWN_WORDS:]))


def _mark_gone(text: str) -> Markup:
    return _GONE.format(text) if text else Markup("")


def _mark_come(text: str) -> Markup:
    return _CAME.format(text) if text else Markup("")


def _to_text(value: Any) -> str:
    if isinstance(value, bool):
        return "sim" if value else "não"
    if isinstance(value, Mapping):
        return "; ".join(f"{name}: {_to_text(one)}" for name, one in value.items())
    if isinstance(value, str) or not isinstance(value, Iterable):
        return "" if value is None else str(value)
    return "; ".join(_to_text(one) for one in value)


def _normalise(value: Any) -> Any:
    """Return the value as it is compared: nothing, an empty text and an empty list are the same to who reads them."""
    return None if value in ("", [], {}) else value
