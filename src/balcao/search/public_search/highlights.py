"""Marks the words of a query in a service's texts (rules: search 4.6, highlights)."""

import html
import re
from collections.abc import Collection, Iterable, Sequence

LONGEST_FRAGMENT = 160
MOST_FRAGMENTS = 2
# Longer texts are marked at their beginning only.
LONGEST_TEXT = 20_000
ELLIPSIS = " … "
# A dotted acronym is one word, as for the folding, and so is a number with its thousands points.
WORD = re.compile(r"(?:[^\W\d_]\.){2,}[^\W\d_]?|\d+(?:\.\d{3})+|[^\W_]+")
_DOTTED = re.compile(r"\.\w")


def list_words(texts: Iterable[str]) -> set[str]:
    """Return the words of these texts as they are written."""
    # Texts of a page say much the same, and no word has a blank in it: each piece between blanks is taken apart once.
    pieces = {piece for text in texts for piece in text[:LONGEST_TEXT].split()}
    return set(WORD.findall(" ".join(pieces)))


def mark_words(text: str, wanted: Collection[str]) -> str:
    """Return the whole text escaped, with the wanted words, which are as they are written, marked."""
    return _mark(text, _find(text, wanted), 0, len(text))


def make_snippet(texts: Sequence[str], wanted: Collection[str]) -> str:
    """Return at most two fragments with marked words, of the first texts that have any; else how the first begins."""
    fragments: list[str] = []
    for text in texts:
        if len(fragments) == MOST_FRAGMENTS:
            break
        shown = text[:LONGEST_TEXT]
        found = _find(shown, wanted)
        while found and len(fragments) < MOST_FRAGMENTS:
            start, end = _choose_window(shown, found)
            fragments.append(_mark(shown, [span for span in found if span[1] <= end], start, end))
            found = [span for span in found if span[0] >= end]
    if not fragments and texts:
        return html.escape(texts[0][: _cut(texts[0], LONGEST_FRAGMENT)])
    return ELLIPSIS.join(fragments)


def _find(text: str, wanted: Collection[str]) -> list[tuple[int, int]]:
    """Return where the wanted words stand."""
    present = [word for word in wanted if word in text]
    # A dot may belong to a word, and then only the words before tell where it begins.
    if present and _DOTTED.search(text):
        return [match.span() for match in WORD.finditer(text) if match[0] in wanted]
    found = []
    for word in present:
        start = text.find(word)
        while start >= 0:
            end = start + len(word)
            if not (text[start - 1 : start].isalnum() or text[end : end + 1].isalnum()):
                found.append((start, end))
            start = text.find(word, end)
    return sorted(found)


def _choose_window(text: str, found: Sequence[tuple[int, int]]) -> tuple[int, int]:
    """Return the beginning and end of the piece around the first word that holds most of the next ones."""
    first, _ = found[0]
    start = max(0, first - LONGEST_FRAGMENT // 4)
    if start:
        blank = text.find(" ", start, first)
        start = blank + 1 if blank >= 0 else first
    return start, start + max(_cut(text[start:], LONGEST_FRAGMENT), min(found[0][1] - start, LONGEST_FRAGMENT))


def _cut(text: str, longest: int) -> int:
    """Return a length of at most `longest` that ends between words, if there is such a place."""
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
