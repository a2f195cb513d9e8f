"""Reads the tree of the city's departments from the registry."""

from collections.abc import Iterator
from functools import cached_property

import msgspec

from balcao.site.reading.reader import Reader


class Department(msgspec.Struct):
    """A department and the departments below it."""

    cd_ua: str
    nome_ua: str
    sigla_ua: str = ""
    cd_ua_pai: str | None = None
    nivel: int = 0
    children: list["Department"] = []


class _Tree(msgspec.Struct, dict=True):
    departments: list[Department]

    @cached_property
    def by_code(self) -> dict[str, Department]:
        return {one.cd_ua: one for root in self.departments for one in _walk(root)}


class Departments:
    """All departments of the city, as a tree."""

    def __init__(self, tree: _Tree) -> None:
        self.roots = tree.departments
        self._by_code = tree.by_code

    def __iter__(self) -> Iterator[Department]:
        return iter(self._by_code.values())

    def find(self, code: str) -> Department | None:
        """Return the department with this code, or None."""
        return self._by_code.get(code)

    def list_ancestors(self, department: Department) -> list[Department]:
        """Return the departments above this one, from the top of the tree downwards."""
        above: list[Department] = []
        while department.cd_ua_pai and (parent := self.find(department.cd_ua_pai)) and parent not in above:
            above.insert(0, parent)
            department = parent
        return above


def _walk(root: Department) -> Iterator[Department]:
    waiting = [root]
    while waiting:
        one = waiting.pop(0)
        yield one
        waiting = [*one.children, *waiting]


async def read_departments(reader: Reader) -> Departments:
    """Read all departments."""
    return Departments(await reader.get("/registry/v1/departments/tree", _Tree))
