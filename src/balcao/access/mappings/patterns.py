"""Path patterns: their grammar, what they match, and which of two decides (rules: access 3.5)."""

import re
from collections.abc import Sequence
from itertools import zip_longest

MAX_SEGMENTS = 32
MAX_LETTERS = 255
REST = "**"
_ANY = "*"
_LITERAL = re.compile(r"(?:[A-Za-z0-9\-._~!$&'+,;=:@]|%[0-9A-F]{2})+")
_PARAMETER = re.compile(r"\{[A-Za-z_][A-Za-z0-9_]*\}")
_ESCAPE = re.compile(r"%([0-9A-Fa-f]{2})")
_BROKEN_ESCAPE = re.compile(r"%(?![0-9A-Fa-f]{2})")
_UNRESERVED = re.compile(r"[A-Za-z0-9\-._~]")
# An encoded slash, backslash or end of text could be read in two ways by two programs.
_AMBIGUOUS_ESCAPES = ("%2F", "%5C", "%00")


def check_pattern(pattern: str) -> str:
    """Return the pattern. Raises ValueError, in Portuguese, for one that the grammar does not have."""
    segments = split(pattern)
    if not pattern.startswith("/") or len(segments) > MAX_SEGMENTS:
        raise ValueError(f"deve começar com `/` e ter de 1 a {MAX_SEGMENTS} segmentos")
    for place, segment in enumerate(segments):
        if segment == REST:
            if place < len(segments) - 1:
                raise ValueError("`**` só pode ser o último segmento")
        elif segment != _ANY and not _PARAMETER.fullmatch(segment):
            _check_literal(segment)
    names = _PARAMETER.findall(pattern)
    if len(set(names)) < len(names):
        raise ValueError("cada parâmetro deve ter um nome só seu")
    return pattern


def _check_literal(segment: str) -> None:
    if segment in {"", ".", ".."} or not _LITERAL.fullmatch(segment):
        raise ValueError("cada segmento deve ser um texto de URL, `{nome}`, `*` ou, no fim, `**`")
    if _decode(segment) != segment or any(escape in segment for escape in _AMBIGUOUS_ESCAPES):
        raise ValueError("só use escapes `%` onde são necessários, nunca para `/`, `\\` ou nulo")


def split(pattern: str) -> list[str]:
    """Return the segments of a pattern."""
    return pattern.split("/")[1:]


def erase_names(pattern: str) -> str:
    """Return the pattern's shape: what remains when parameters have no names."""
    return _PARAMETER.sub(_ANY, pattern)


def normalise(path: str) -> list[str] | None:
    """Return the segments of a requested path; None for one that no pattern matches."""
    path = path.partition("?")[0]
    if not path.startswith("/") or "\\" in path or not path.isascii() or not path.isprintable():
        return None
    if _BROKEN_ESCAPE.search(path):
        return None
    path = _decode(path).removesuffix("/")
    segments = path.split("/")[1:]
    if any(escape in path for escape in _AMBIGUOUS_ESCAPES) or not {"", ".", ".."}.isdisjoint(segments):
        return None
    return segments


def _decode(text: str) -> str:
    """Decode the escapes of unreserved characters and write the others in capitals."""

    def decode(found: re.Match[str]) -> str:
        char = chr(int(found[1], 16))
        return char if _UNRESERVED.fullmatch(char) else found[0].upper()

    return _ESCAPE.sub(decode, text)


def matches(pattern: Sequence[str], path: Sequence[str]) -> bool:
    """Return whether the pattern's segments match all of the path's."""
    for wanted, segment in zip_longest(pattern, path):
        if wanted == REST:
            return True
        if segment is None or wanted is None or not (is_wild(wanted) or wanted == segment):
            return False
    return True


def is_wild(segment: str) -> bool:
    """Return whether the segment of a pattern stands for any one segment."""
    return segment == _ANY or segment.startswith("{")


def rank(pattern: str) -> tuple[int, ...]:
    """Return the pattern's place among those that match one path: the least one is the most specific."""
    return tuple(2 if segment == REST else 1 if is_wild(segment) else 0 for segment in split(pattern))


def crosses(one: str, other: str) -> bool:
    """Return whether each pattern matches paths that the other does not, and both match some path."""
    first, second = split(one), split(other)
    return _meets(first, second) and not _covers(first, second) and not _covers(second, first)


def _meets(first: Sequence[str], second: Sequence[str]) -> bool:
    """Return whether some path matches both."""
    for one, other in zip_longest(first, second):
        if REST in (one, other):
            return True
        if one is None or other is None or not (one == other or is_wild(one) or is_wild(other)):
            return False
    return True


def _covers(wide: Sequence[str], narrow: Sequence[str]) -> bool:
    """Return whether the first pattern matches every path of the second."""
    for one, other in zip_longest(wide, narrow):
        if one == REST:
            return True
        if one is None or other in (None, REST) or not (is_wild(one) or one == other):
            return False
    return True
