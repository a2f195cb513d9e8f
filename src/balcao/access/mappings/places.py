"""A tree of path segments that finds the mappings that overlap a pattern.

For a literal segment, only three branches can overlap: the same literal, a parameter (`ANY`) and a rest (`REST`).
"""

from collections.abc import Iterator, Sequence
from typing import Generic, TypeVar

from balcao.access.mappings.patterns import erase_parameter_names
from balcao.core.access.paths import ANY, REST, split_pattern

T = TypeVar("T")


class _Node(Generic[T]):
    __slots__ = ("branches", "end", "rest")

    def __init__(self) -> None:
        self.branches: dict[str, _Node[T]] = {}
        self.end: T | None = None
        self.rest: T | None = None


class MappingTree(Generic[T]):
    """A tree that stores at most one mapping for each method and shape."""

    def __init__(self) -> None:
        self._roots: dict[str, _Node[T]] = {}

    def put(self, method: str, pattern: str, mapping: T | None) -> T | None:
        """Store a mapping for its method and shape, or None to remove it. Return the previous mapping."""
        node = self._roots.setdefault(method, _Node())
        segments = split_pattern(erase_parameter_names(pattern))
        takes_rest = segments[-1] == REST
        for segment in segments[: -1 if takes_rest else None]:
            node = node.branches.setdefault(segment, _Node())
        if takes_rest:
            known, node.rest = node.rest, mapping
        else:
            known, node.end = node.end, mapping
        return known

    def find(self, method: str, pattern: str) -> T | None:
        """Return the mapping with this method and shape, or None."""
        node = self._roots.get(method)
        segments = split_pattern(erase_parameter_names(pattern))
        takes_rest = segments[-1] == REST
        for segment in segments[: -1 if takes_rest else None]:
            node = node.branches.get(segment) if node else None
        if node is None:
            return None
        return node.rest if takes_rest else node.end

    def find_overlapping(self, method: str, pattern: str) -> Iterator[T]:
        """Yield each mapping of the method that matches some path of the pattern."""
        if method in self._roots:
            yield from _walk(self._roots[method], split_pattern(erase_parameter_names(pattern)), 0)


def _walk(node: _Node[T], segments: Sequence[str], place: int) -> Iterator[T]:
    if place < len(segments) and segments[place] == REST:
        yield from _list_all(node)
        return
    if node.rest is not None:
        yield node.rest
    if place == len(segments):
        if node.end is not None:
            yield node.end
        return
    segment = segments[place]
    branches = node.branches.values() if segment == ANY else map(node.branches.get, (segment, ANY))
    for branch in branches:
        if branch is not None:
            yield from _walk(branch, segments, place + 1)


def _list_all(node: _Node[T]) -> Iterator[T]:
    for one in (node.rest, node.end):
        if one is not None:
            yield one
    for branch in node.branches.values():
        yield from _list_all(branch)
