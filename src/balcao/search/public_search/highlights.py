"""Marks the words of a query in the texts of a service (rules: search 4.6, highlights)."""

import html
import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache

from balcao.search.portuguese.analysis import LONGEST_TEXT, ORDINAL_WORDS, Token, read_word
from balcao.search.portuguese.lexicon import fold

LONGEST_FRAGMENT = 160
MOST_FRAGMENTS = 2
ELLIPSIS = " … "
# Every form of a root starts with at least this many letters of the root.
SHARED_LETTERS = 2
_DOTTED = re.compile(r"\.[^\W_]")
# Maps Latin letters to lower case without accents. Each letter stays one character, so positions in the result are also
# valid in the original text.
_PLAIN = {code: fold(chr(code)) for code in range(ord("A"), 0x250) if len(fold(chr(code))) == 1}
_BYTES = "latin-1"
_PLAIN_BYTES = b"".join(
    chr(code).translate(_PLAIN).encode(_BYTES, "replace") if chr(code).isalnum() else b" " for code in range(0x100)
)
# Letters of other scripts are encoded as question marks.
_PLAIN_OR_UNKNOWN = _PLAIN_BYTES[: ord("?")] + b"?" + _PLAIN_BYTES[ord("?") + 1 :]
_BEYOND_BYTES = re.compile("[^\x00-\xff]")
# A dotted acronym is one word, and so is a number with thousands separators. The analysis of the index splits texts in
# the same way.
WORD = re.compile(r"(?:[^\W\d_]\.){2,}(?:[^\W\d_](?![^\W_]))?|\d+(?:\.\d{3})+|[^\W_]+")

# The same names and summaries appear in many results, so cache their words. The cache needs at most about 5 MB.
LONGEST_CACHED = 200
MOST_CACHED = 2_000

# The position of a word, and its readings.
_Word = tuple[tuple[int, int], Token]


def mark_words(text: str, roots: frozenset[str]) -> str:
    """Return the whole text escaped, with the words of these roots marked."""
    return _mark(text, _find(text, roots), 0, len(text))


def make_snippet(texts: Sequence[str], roots: frozenset[str]) -> str:
    """Return at most two fragments with marked words, from the first texts that contain such words.

    Without a marked word, return the beginning of the first text.
    """
    fragments: list[str] = []
    for text in texts:
        # `_find` is a generator, so a long text is read only up to the end of the last fragment.
        found = _find(text[:LONGEST_TEXT], roots)
        following = next(found, None)
        while following is not None and len(fragments) < MOST_FRAGMENTS:
            shown = text[:LONGEST_TEXT]
            start, end = _choose_window(shown, following)
            marked = []
            while following is not None and following[0] < end:
                if following[1] <= end:
                    marked.append(following)
                following = next(found, None)
            fragments.append(_mark(shown, marked, start, end))
        if len(fragments) == MOST_FRAGMENTS:
            break
    if not fragments and texts:
        return html.escape(texts[0][: _cut(texts[0], LONGEST_FRAGMENT)])
    return ELLIPSIS.join(fragments)


def _find(text: str, roots: frozenset[str]) -> Iterator[tuple[int, int]]:
    """Yield, in order, the positions of the words that have one of these roots.

    A word is skipped if it does not start like one of the roots or like a spelled-out ordinal.
    """
    if not roots:
        return
    beginnings = _list_beginnings(roots)
    if len(text) <= LONGEST_CACHED:
        words: Iterable[_Word] = _list_words(text)
    elif _DOTTED.search(text):  # only a scan from the start finds a dotted word
        words = map(_read_word, WORD.finditer(text))
    else:
        words = _list_candidates(text, beginnings)
    for span, token in words:
        if not roots.isdisjoint(token.roots) and token.folded.startswith(beginnings):
            yield span


@lru_cache(1)  # one entry, for all texts of one response
def _list_beginnings(roots: frozenset[str]) -> tuple[str, ...]:
    spelled = [word for word, number in ORDINAL_WORDS.items() if number in roots]
    return tuple({word[:SHARED_LETTERS] for word in (*roots, *spelled)})


@lru_cache(MOST_CACHED)
def _list_words(text: str) -> Sequence[_Word]:
    return [_read_word(match) for match in WORD.finditer(text)]


def _list_candidates(text: str, beginnings: Iterable[str]) -> Iterator[_Word]:
    """Yield the words of a long text that start with one of these beginnings.

    This is ten times faster than analysing each word.
    """
    plain = b" " + _write_plain(text)
    places: set[int] = set()
    for beginning in beginnings:
        sought = b" " + beginning.encode(_BYTES, "replace")
        at = plain.find(sought)
        while at >= 0:
            places.add(at)
            at = plain.find(sought, at + 1)
    for place in sorted(places):
        match = WORD.match(text, place)
        if match is not None:
            yield _read_word(match)


def _write_plain(text: str) -> bytes:
    """Return one byte for each character: a letter without case and accent, a digit, or a blank for anything else."""
    try:
        return text.encode(_BYTES).translate(_PLAIN_BYTES)  # twenty times faster than translating characters
    except UnicodeEncodeError:
        known = _BEYOND_BYTES.sub(lambda found: found[0].translate(_PLAIN) if found[0].isalnum() else " ", text)
        return known.replace("?", " ").encode(_BYTES, "replace").translate(_PLAIN_OR_UNKNOWN)


def _read_word(match: re.Match[str]) -> _Word:
    return match.span(), read_word(match[0].replace(".", "").lower())


def _choose_window(text: str, word: tuple[int, int]) -> tuple[int, int]:
    """Return the start and end of a fragment that contains a found word. At most a quarter of it precedes the word."""
    first, last = word
    start = max(0, first - LONGEST_FRAGMENT // 4)
    if start:
        blank = text.find(" ", start, first)
        start = blank + 1 if blank >= 0 else first
    return start, start + max(_cut(text[start:], LONGEST_FRAGMENT), min(last - start, LONGEST_FRAGMENT))


def _cut(text: str, longest: int) -> int:
    """Return the greatest length up to `longest` that does not cut a word.

    If the text contains no blank, return `longest`.
    """
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
