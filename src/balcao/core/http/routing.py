"""Find the endpoint of a path in a tree of segments. Static segments take precedence over parameters."""

import re
from collections.abc import Mapping, Sequence
from typing import Generic, NamedTuple, TypeVar
from urllib.parse import unquote

E = TypeVar("E")

# Path elements that two programs may interpret differently: an encoded slash or any backslash, an empty or dot segment
# (encoded or not), or an invalid percent escape. A path with such an element matches only endpoints that accept the
# rest of the path.
_AMBIGUOUS = re.compile(rb"//|/\.{1,2}(?:/|$)|\\|%(?:2[fF]|5[cC])|/(?:%2[eE]|\.){1,2}(?:/|$)|%(?![0-9a-fA-F]{2})")
# A formatted CNPJ contains a slash, which callers send literally or encoded. No other path contains this pattern. The
# letters may be lower-case here, because each service decides whether to accept them.
_PRINTED_CNPJ = re.compile(
    rb"/([0-9A-Z]{2})\.([0-9A-Z]{3})\.([0-9A-Z]{3})(?:/|%2F)([0-9A-Z]{4})-([0-9]{2})(?=/|$)", re.IGNORECASE
)
_PARAMETER = re.compile(r"\{(\w+)\}")
# The last segment of a declared path that accepts any rest of the requested path as one parameter. The rest is never
# empty.
REST_OF_PATH = "{rest}"


class Found(NamedTuple, Generic[E]):
    """The endpoints of a matched path by method, and the values of the path's parameters in their order."""

    by_method: Mapping[str, E]
    values: Sequence[str]


class _Node(Generic[E]):
    """A node for a segment: the fixed segments and the parameters that may follow, and the endpoints by method."""

    __slots__ = ("by_method", "parameter", "rest", "takes_rest", "words")

    def __init__(self, *, takes_rest: bool = False) -> None:
        self.takes_rest = takes_rest
        self.words: dict[str, _Node[E]] = {}
        self.parameter: _Node[E] | None = None
        self.rest: _Node[E] | None = None
        self.by_method: dict[str, E] = {}


class Paths(Generic[E]):
    """A tree of paths such as `/citizen/{cpf}/pets`. A trailing slash makes no difference."""

    def __init__(self, *, lenient: bool = False) -> None:
        """With `lenient`, a parameter's value may be ambiguous, for example contain an encoded slash."""
        self._root: _Node[E] = _Node()
        self._lenient = lenient

    def add(self, method: str, path: str, endpoint: E) -> None:
        """Register the endpoint for this method and path."""
        node = self._root
        for segment in _split(path)[1:]:
            if segment == REST_OF_PATH:
                node.rest = node = node.rest or _Node(takes_rest=True)
            elif _PARAMETER.fullmatch(segment):
                node.parameter = node = node.parameter or _Node()
            else:
                node = node.words.setdefault(segment, _Node())
        node.by_method[method] = endpoint

    def find(self, path: bytes) -> Found[E] | None:
        """Return the endpoints of this raw path, or None if the path is unknown.

        If the path does not match, it is tried again with each formatted CNPJ replaced by its fourteen characters
        (rules: registry 2.6).
        """
        found = self._find(path)
        if found is None and _PRINTED_CNPJ.search(path):
            return self._find(_PRINTED_CNPJ.sub(rb"/\1\2\3\4\5", path))
        return found

    def find_similar(self, path: bytes) -> Mapping[str, E]:
        """Return the endpoints of this raw path by method, even if `find` rejects the path.

        Use the result only to choose the error format of the refusal.
        """
        node = _walk(self._root, _split(path.decode("latin-1")), 1, [])
        return {} if node is None else node.by_method

    def _find(self, path: bytes) -> Found[E] | None:
        text = path.decode("latin-1")
        segments = _split(text)
        if "%" in text or "//" in text or "/." in text or "\\" in text:
            if not self._lenient and (unclear := _AMBIGUOUS.search(path)):
                return self._find_rest(text, unclear.start())
            # An unambiguous path contains no encoded slash, so it can be decoded in one call, which is much faster.
            segments = [unquote(segment) for segment in segments] if self._lenient else _split(unquote(text))
        values: list[str] = []
        node = _walk(self._root, segments, 1, values)
        return None if node is None else Found(node.by_method, values)

    def _find_rest(self, text: str, unclear: int) -> Found[E] | None:
        """Return the endpoints that accept the rest of the path, from the first ambiguous segment on, as one value."""
        clear = text.rfind("/", 0, unclear + 1)
        segments = [*unquote(text[:clear]).split("/")[1:], text[clear + 1 :]]
        values: list[str] = []
        node = _walk(self._root, segments, 0, values)
        return Found(node.by_method, values) if node is not None and node.takes_rest else None


def parameters_of(path: str) -> list[str]:
    """Return the names of a declared path's parameters, in their order."""
    return _PARAMETER.findall(path)


def _split(path: str) -> list[str]:
    """Return the text before the first slash, followed by the segments. Ignore one trailing slash."""
    segments = path.split("/")
    if not segments[-1]:
        segments.pop()
    return segments


def _walk(node: _Node[E], segments: list[str], start: int, values: list[str]) -> _Node[E] | None:
    """Return the node that the path leads to, or None. Append the values of the path's parameters to `values`.

    Follow static segments first. If they lead to no endpoint, treat the segment as the value of a parameter.
    """
    for place in range(start, len(segments)):
        segment = segments[place]
        word = node.words.get(segment)
        if word is not None:
            if node.parameter is None and node.rest is None:
                node = word
                continue
            known = len(values)
            found = _walk(word, segments, place + 1, values)
            if found is not None:
                return found
            del values[known:]
        if node.rest is not None:
            values.append("/".join(segments[place:]))
            return node.rest
        if node.parameter is None or not segment:
            return None
        values.append(segment)
        node = node.parameter
    return node if node.by_method else None
