"""Marking the words of a query in the texts of a service (rules: search 4.6, highlights)."""

import html
import re
from collections.abc import Collection, Iterable, Iterator, Sequence

from balcao.search.portuguese.analysis import LONGEST_TEXT, ORDINAL_WORDS, read_word
from balcao.search.portuguese.lexicon import fold

LONGEST_FRAGMENT = 160
MOST_FRAGMENTS = 2
ELLIPSIS = " … "
# All forms of a root start with this many letters of the root.
SHARED_LETTERS = 2
_DOTTED = re.compile(r"\.[^\W_]")
# Latin letters without case and accents. Each stays one character, so that positions are those of the original text.
_PLAIN = {code: fold(chr(code)) for code in range(ord("A"), 0x250) if len(fold(chr(code))) == 1}
# A dotted acronym is one word, and so is a number with its thousands points, as in the analysis of the index.
WORD = re.compile(r"(?:[^\W\d_]\.){2,}[^\W\d_]?|\d+(?:\.\d{3})+|[^\W_]+")


def mark_words(text: str, roots: Collection[str]) -> str:
    """Return the whole text escaped, with the words of these roots marked."""
    return _mark(text, _find(text, roots), 0, len(text))


def make_snippet(texts: Sequence[str], roots: Collection[str]) -> str:
    """Return at most two fragments with marked words, from the first texts that contain such words.

    If no text does, return the start of the first text.
    """
    fragments: list[str] = []
    for text in texts:
        if len(fragments) == MOST_FRAGMENTS:
            break
        shown = text[:LONGEST_TEXT]
        found = _find(shown, roots)
        while found and len(fragments) < MOST_FRAGMENTS:
            start, end = _choose_window(shown, found)
            fragments.append(_mark(shown, [span for span in found if span[1] <= end], start, end))
            found = [span for span in found if span[0] >= end]
    if not fragments and texts:
        return html.escape(texts[0][: _cut(texts[0], LONGEST_FRAGMENT)])
    return ELLIPSIS.join(fragments)


def _find(text: str, roots: Collection[str]) -> list[tuple[int, int]]:
    """Return the positions of the words that have one of the roots."""
    if not roots:
        return []
    if _DOTTED.search(text):  # find acronyms and dotted numbers from their start
        return [match.span() for match in WORD.finditer(text) if _has_root(match[0], roots)]
    # The forms of a root start with the same letters, except for a few irregular verbs, which are stop words. Searching
    # for these letters is ten times faster than checking each word. `plain` has the same length as the text.
    plain = text.translate(_PLAIN)
    spelled = [word for word, number in ORDINAL_WORDS.items() if number in roots]
    beginnings = {word[:SHARED_LETTERS] for word in (*roots, *spelled)}
    starts = {at for beginning in beginnings for at in _list_starts(plain, beginning)}
    found = []
    for start in sorted(starts):
        match = WORD.match(text, start)
        if match is not None and _has_root(match[0], roots):
            found.append(match.span())
    return found


def _has_root(word: str, roots: Collection[str]) -> bool:
    return any(root in roots for root in read_word(word.replace(".", "").lower()).roots)


def _list_starts(plain: str, beginning: str) -> Iterator[int]:
    """Yield the start of each word with this prefix."""
    at = plain.find(beginning)
    while at >= 0:
        if not plain[at - 1 : at].isalnum():
            yield at
        at = plain.find(beginning, at + 1)


def _choose_window(text: str, found: Sequence[tuple[int, int]]) -> tuple[int, int]:
    """Return start and end of a fragment with the first found word. At most a quarter of it precedes the word."""
    first, _ = found[0]
    start = max(0, first - LONGEST_FRAGMENT // 4)
    if start:
        blank = text.find(" ", start, first)
        start = blank + 1 if blank >= 0 else first
    return start, start + max(_cut(text[start:], LONGEST_FRAGMENT), min(found[0][1] - start, LONGEST_FRAGMENT))


def _cut(text: str, longest: int) -> int:
    """Return the greatest length up to `longest` that does not cut a word. Without a blank, return `longest`."""
    if len(text) <= longest:
        return len(text)
    blank = text.rfind(" ", 0, longest + 1)
    return blank if blank > 0 else longest


def _mark(text: str, found: Iterable[tuple[int, int]], start: int, end: int) -> str:
    pieces: list[str] = []
    at = start
    for first, last in found:
        if first < start or last > end:
            continue
        pieces += [html.escape(text[at:first]), "<mark>", html.escape(text[first:last]), "</mark>"]
        at = last
    return "".join([*pieces, html.escape(text[at:end])])
