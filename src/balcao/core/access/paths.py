"""Match requested paths with patterns, of which the most specific decides (rules: access 3.5)."""

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

REST = "**"
ANY = "*"
_ESCAPE = re.compile(r"%([0-9A-Fa-f]{2})")
_BROKEN_ESCAPE = re.compile(r"%(?![0-9A-Fa-f]{2})")
_UNRESERVED = re.compile(r"[A-Za-z0-9\-._~]")
# Escapes that no path may contain: two programs could interpret an encoded slash, backslash or NUL differently.
AMBIGUOUS_ESCAPES = ("%2F", "%5C", "%00")


def split_pattern(pattern: str) -> list[str]:
    """Split a pattern into its segments."""
    return pattern.split("/")[1:]


def is_wild(segment: str) -> bool:
    """Return whether this segment of a pattern matches any single segment."""
    return segment == ANY or segment.startswith("{")


def split_path(path: str) -> list[str] | None:
    """Return the segments of a requested path; an empty list for the root, None if no pattern can match the path."""
    path = path.partition("?")[0]
    if not path.startswith("/") or "\\" in path or not path.isascii() or not path.isprintable():
        return None
    if _BROKEN_ESCAPE.search(path):
        return None
    path = decode_unreserved(path).removesuffix("/")
    segments = path.split("/")[1:]
    if any(escape in path for escape in AMBIGUOUS_ESCAPES) or not {"", ".", ".."}.isdisjoint(segments):
        return None
    return segments


def decode_unreserved(text: str) -> str:
    """Decode the escapes of unreserved characters and write the other escapes in upper case."""

    def decode(found: re.Match[str]) -> str:
        char = chr(int(found[1], 16))
        return char if _UNRESERVED.fullmatch(char) else found[0].upper()

    return _ESCAPE.sub(decode, text)


def bind_path(pattern: str, segments: Sequence[str]) -> dict[str, str]:
    """Return the values of the pattern's named parameters in a matched path."""
    pairs = zip(split_pattern(pattern), segments, strict=False)  # the segments that `**` matches have no name
    return {wanted[1:-1]: segment for wanted, segment in pairs if wanted.startswith("{")}


class Entry(NamedTuple):
    """A mapping in the tree: its method, its path pattern and its id."""

    method: str
    path_pattern: str
    id: int


class _Node:
    """A node of the tree. `words` are its successors for fixed segments, `wild` the successor for any segment.

    `end` is the mapping whose pattern ends at this node, `rest` the mapping whose pattern continues with `**`.
    """

    __slots__ = ("end", "rest", "wild", "words")

    def __init__(self) -> None:
        self.words: dict[str, _Node] = {}
        self.wild: _Node | None = None
        self.end: int | None = None
        self.rest: int | None = None

    def copy(self) -> "_Node":
        other = _Node()
        other.words, other.wild, other.end, other.rest = dict(self.words), self.wild, self.end, self.rest
        return other

    def get(self, segment: str) -> "_Node | None":
        return self.wild if is_wild(segment) else self.words.get(segment)

    def set(self, segment: str, node: "_Node") -> None:
        if is_wild(segment):
            self.wild = node
        else:
            self.words[segment] = node


class PatternTree:
    """The patterns of all mappings.

    A tree never changes: `replacing` returns another tree that shares unchanged nodes.
    """

    def __init__(self, entries: Iterable[Entry] = ()) -> None:
        self._root = _Node()
        self._put_all(entries, owned=None)

    def replacing(self, gone: Iterable[Entry], new: Iterable[Entry]) -> "PatternTree":
        """Return a tree without the mappings `gone` and with the mappings `new`.

        The cost depends only on these mappings, because the new tree shares the unchanged nodes.
        """
        changed = PatternTree()
        changed._root = self._root.copy()
        owned = {id(changed._root)}
        changed._put_all((Entry(old.method, old.path_pattern, 0) for old in gone), owned)
        changed._put_all(new, owned)
        return changed

    def _put_all(self, entries: Iterable[Entry], owned: set[int] | None) -> None:
        """Put each mapping into its node. An id of 0 clears the node.

        `owned` are the ids of the nodes that no other tree uses, or None if the whole tree is new. Other nodes are
        copied before they change.
        """
        for entry in entries:
            segments = [entry.method, *split_pattern(entry.path_pattern)]
            takes_rest = segments[-1] == REST
            node = self._root
            for segment in segments[: -1 if takes_rest else None]:
                node = _descend(node, segment, owned)
            if takes_rest:
                node.rest = entry.id or None
            else:
                node.end = entry.id or None

    def find(self, method: str, segments: Sequence[str]) -> int | None:
        """Return the id of the most specific mapping, or None if none matches.

        HEAD without its own mapping uses that of GET.
        """
        found = self._find(method, segments)
        return self._find("GET", segments) if found is None and method == "HEAD" else found

    def _find(self, method: str, segments: Sequence[str]) -> int | None:
        node = self._root.words.get(method)
        return None if node is None else _walk(node, segments, 0)


def _descend(node: _Node, segment: str, owned: set[int] | None) -> _Node:
    child = node.get(segment)
    if child is not None and (owned is None or id(child) in owned):
        return child
    child = _Node() if child is None else child.copy()
    node.set(segment, child)
    if owned is not None:
        owned.add(id(child))
    return child


def _walk(node: _Node, segments: Sequence[str], place: int) -> int | None:
    """Try fixed segments first, then wild segments, then a pattern that ends with `**`."""
    if place == len(segments):
        return node.end if node.end is not None else node.rest
    for child in (node.words.get(segments[place]), node.wild):
        if child is not None and (found := _walk(child, segments, place + 1)) is not None:
            return found
    return node.rest
