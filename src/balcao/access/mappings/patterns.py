"""The grammar of path patterns, and the rule for ambiguous pairs (rules: access 3.5)."""

import re
from collections.abc import Sequence
from itertools import zip_longest

from balcao.core.access.paths import AMBIGUOUS_ESCAPES, ANY, REST, decode_unreserved, is_wild, split_pattern

MAX_SEGMENTS = 32
MAX_LETTERS = 255
_LITERAL = re.compile(r"(?:[A-Za-z0-9\-._~!$&'+,;=:@]|%[0-9A-F]{2})+")
# Other gateways use these regular expressions for "one segment" and "the rest of the path".
_ONE_SEGMENT = re.compile(r"\((?:\?:)?\[\^/\][+]\)|\[\^/\][+]")
_REST_OF_PATH = re.compile(r"/(?:\(\.[*]\)|\.[*])\Z")
_PARAMETER = re.compile(r"\{[A-Za-z_][A-Za-z0-9_]*\}")


def check_pattern(pattern: str) -> str:
    """Validate a pattern, and return it. A regular expression for a path is translated into a pattern first.

    Raises ValueError, with a Portuguese message, if the grammar does not allow the pattern.
    """
    pattern = _translate(pattern)
    segments = split_pattern(pattern)
    if not pattern.startswith("/") or len(segments) > MAX_SEGMENTS:
        raise ValueError(f"deve começar com `/` e ter de 1 a {MAX_SEGMENTS} segmentos")
    for place, segment in enumerate(segments):
        if segment == REST:
            if place < len(segments) - 1:
                raise ValueError("`**` só pode ser o último segmento")
        elif segment != ANY and not _PARAMETER.fullmatch(segment):
            _check_literal(segment)
    names = _PARAMETER.findall(pattern)
    if len(set(names)) < len(names):
        raise ValueError("cada parâmetro deve ter um nome só seu")
    return pattern


def _translate(pattern: str) -> str:
    """Translate a regular expression for a path into a pattern. Any other string is returned unchanged."""
    # Drop the anchors, because patterns always match the whole path.
    whole = pattern.removeprefix("^").removesuffix("$")
    return _REST_OF_PATH.sub(f"/{REST}", _ONE_SEGMENT.sub(ANY, whole))


def _check_literal(segment: str) -> None:
    if segment in {"", ".", ".."} or not _LITERAL.fullmatch(segment):
        raise ValueError("cada segmento deve ser um texto de URL, `{nome}`, `*` ou, no fim, `**`")
    if decode_unreserved(segment) != segment or any(escape in segment for escape in AMBIGUOUS_ESCAPES):
        raise ValueError("só use escapes `%` onde são necessários, nunca para `/`, `\\` ou nulo")


def erase_parameter_names(pattern: str) -> str:
    """Return the pattern's shape: the pattern without the names of its parameters."""
    return _PARAMETER.sub(ANY, pattern)


def patterns_cross(one: str, other: str) -> bool:
    """Return whether the patterns overlap, and each of them also matches a path that the other does not match."""
    first, second = split_pattern(one), split_pattern(other)
    return _overlaps(first, second) and not _covers(first, second) and not _covers(second, first)


def pattern_covers(wide: str, narrow: str) -> bool:
    """Return whether `wide` matches every path that `narrow` matches."""
    return _covers(split_pattern(wide), split_pattern(narrow))


def _overlaps(first: Sequence[str], second: Sequence[str]) -> bool:
    """Return whether some path matches both patterns."""
    for one, other in zip_longest(first, second):
        if REST in (one, other):
            return True
        if one is None or other is None or not (one == other or is_wild(one) or is_wild(other)):
            return False
    return True


def _covers(wide: Sequence[str], narrow: Sequence[str]) -> bool:
    for one, other in zip_longest(wide, narrow):
        if one == REST:
            return True
        if one is None or other in (None, REST) or not (is_wild(one) or one == other):
            return False
    return True
