"""Compare two versions of a record, in the order of the fields in a form.

Changed words are marked, lists are compared line by line, and long equal parts are folded. The services return
only the old and the new values, so this module compares the words.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from markupsafe import Markup, escape
from rapidfuzz.distance import Indel

# The time and memory for a comparison grow with the product of the two lengths. Up to this product, a comparison needs
# at most 4 MiB and 10 ms. It holds the interpreter lock for that time.
MOST_PRODUCT = 5_000 * 5_000
# An equal part with more than `_LONGEST_EQUAL` words is folded: only its first and last `_SHOWN_WORDS` words are shown.
_LONGEST_EQUAL, _SHOWN_WORDS = 60, 12
_WORD = re.compile(r"\s+|[^\W_]+|[\W_]")
_LINE = re.compile(r"[^\n]*\n|[^\n]+")
# Screen readers read the text in brackets, and copied text includes it. Its trailing space is non-breaking, because a
# browser would drop an ordinary space.
_REMOVED = Markup('<del><span class="vh">[saiu:&nbsp;</span>{}<span class="vh">]</span></del>')
_ADDED = Markup('<ins><span class="vh">[entrou:&nbsp;</span>{}<span class="vh">]</span></ins>')
_FOLDED = Markup(' <span class="muted">[…]</span> ')


@dataclass(frozen=True)
class Change:
    """A field that differs: its label, and its value with the changed words marked."""

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
    """Return a value with its changes marked: line by line for a list, and word by word for any other value."""
    if isinstance(old, list) or isinstance(new, list):
        return _compare_lines([_to_text(one) for one in old or []], [_to_text(one) for one in new or []])
    return compare_texts(_to_text(old), _to_text(new))


def compare_texts(old: str, new: str) -> Markup:
    """Return the new text with the added and removed words marked.

    If there are too many words to compare, compare lines. If there are also too many lines, mark both texts as a whole.
    """
    for split in (_WORD.findall, _LINE.findall):
        before, after = split(old), split(new)
        if (gaps := _find_gaps(before, after)) is not None:
            return Markup("").join(_mark_gaps(before, after, gaps))
    return _mark(old, new)


class _Gap(NamedTuple):
    """A part in which two sequences differ: where it starts and ends in the old and in the new sequence."""

    old_start: int
    old_end: int
    new_start: int
    new_end: int


def _find_gaps(before: Sequence[str], after: Sequence[str]) -> list[_Gap] | None:
    """Return the parts in which two sequences differ, in order. Return None if comparing them would take too long."""
    start = _count_equal(before, after)
    end = _count_equal(before[start:][::-1], after[start:][::-1])
    changed, added = before[start : len(before) - end], after[start : len(after) - end]
    if len(changed) * len(added) > MOST_PRODUCT:
        return None
    gaps: list[_Gap] = []
    i = k = start
    for block in Indel.opcodes(changed, added).as_matching_blocks():
        j, m = start + block.a, start + block.b
        if j > i or m > k:
            gaps.append(_Gap(i, j, k, m))
        i, k = j + block.size, m + block.size
    return gaps


def _count_equal(one: Sequence[str], other: Sequence[str]) -> int:
    """Return the number of items before the first difference."""
    return next((n for n, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))


def _mark_gaps(before: Sequence[str], after: Sequence[str], gaps: Iterable[_Gap]) -> Iterator[Markup]:
    shown = 0
    for joined in _join_over_blanks(after, gaps):
        gap = _trim(before, after, joined)
        yield _fold(after[shown : gap.new_start])
        yield _mark("".join(before[gap.old_start : gap.old_end]), "".join(after[gap.new_start : gap.new_end]))
        shown = gap.new_end
    yield _fold(after[shown:])


def _join_over_blanks(after: Sequence[str], gaps: Iterable[_Gap]) -> Iterator[_Gap]:
    """Yield the gaps, joining those that are separated only by whitespace.

    Adjacent changed words are easier to read as one change.
    """
    last: _Gap | None = None
    for gap in gaps:
        if last is not None and "".join(after[last.new_end : gap.new_start]).isspace():
            last = _Gap(last.old_start, gap.old_end, last.new_start, gap.new_end)
            continue
        if last is not None:
            yield last
        last = gap
    if last is not None:
        yield last


def _trim(before: Sequence[str], after: Sequence[str], gap: _Gap) -> _Gap:
    """Remove an equal ending, such as whitespace, from both sides of a gap, so that unchanged text is not marked."""
    old, new = before[gap.old_start : gap.old_end], after[gap.new_start : gap.new_end]
    equal = _count_equal(old[::-1], new[::-1])
    return gap._replace(old_end=gap.old_end - equal, new_end=gap.new_end - equal)


def _compare_lines(old: Sequence[str], new: Sequence[str]) -> Markup:
    gaps = _find_gaps(old, new)
    lines: list[Markup] = []
    shown = 0
    for gap in [_Gap(0, len(old), 0, len(new))] if gaps is None else gaps:
        removed, added = old[gap.old_start : gap.old_end], new[gap.new_start : gap.new_end]
        lines += map(escape, new[shown : gap.new_start])
        if len(removed) == len(added):
            lines += [compare_texts(one, other) for one, other in zip(removed, added, strict=True)]
        else:
            lines += [*map(_mark_removed, removed), *map(_mark_added, added)]
        shown = gap.new_end
    lines += map(escape, new[shown:])
    return Markup("<ul>{}</ul>").format(Markup("").join(Markup("<li>{}</li>").format(line) for line in lines))


def _fold(words: Sequence[str]) -> Markup:
    if len(words) <= _LONGEST_EQUAL:
        return escape("".join(words))
    return escape("".join(words[:_SHOWN_WORDS])) + _FOLDED + escape("".join(words[-_SHOWN_WORDS:]))


def _mark(removed: str, added: str) -> Markup:
    """Mark the removed and the added text. Insert a space if they would otherwise run together."""
    needs_blank = removed and added and not removed[-1].isspace() and not added[0].isspace()
    return _mark_removed(removed) + (" " if needs_blank else "") + _mark_added(added)


def _mark_removed(text: str) -> Markup:
    return _REMOVED.format(text) if text else Markup("")


def _mark_added(text: str) -> Markup:
    return _ADDED.format(text) if text else Markup("")


def _to_text(value: Any) -> str:
    if isinstance(value, bool):
        return "sim" if value else "não"
    if isinstance(value, Mapping):
        return "; ".join(f"{name}: {_to_text(one)}" for name, one in value.items())
    if isinstance(value, str) or not isinstance(value, Iterable):
        return "" if value is None else str(value)
    return "; ".join(_to_text(one) for one in value)


def _normalise(value: Any) -> Any:
    """Normalise a value for comparison.

    None, an empty string, an empty list and an empty mapping look the same to readers, so all of them become None.
    """
    return None if value in ("", [], {}) else value
