"""Read the city's departments. They are public, and only the import writes them."""

from collections.abc import Mapping

from balcao.core.context.call import Call
from balcao.core.errors import NotFound
from balcao.core.values.page import Page
from balcao.core.values.text import has_control
from balcao.registry.city.departments import store
from balcao.registry.city.departments.filters import DepartmentFilters
from balcao.registry.city.departments.schemas import Department, DepartmentAncestors, Departments, DepartmentTree
from balcao.registry.city.departments.tree import LONGEST_CHAIN, build_tree


async def list_departments(call: Call, query: Mapping[str, str], page: Page) -> Departments:
    """Return a page of departments, sorted by level and then in the city's own order.

    Raises Invalid if a filter is not valid.
    """
    filters = DepartmentFilters.parse(query)
    async with call.reader.connection() as connection:
        found, total = await store.select_departments(connection, filters, page)
    return Departments(found, page.of(total), total)


async def read_department(call: Call, cd_ua: str) -> Department:
    """Return a department by its code. Raises NotFound for an unknown code."""
    if not has_control(cd_ua) and (found := await store.select_department(call.reader, cd_ua)):
        return found
    raise _unknown()


async def read_department_tree(call: Call) -> DepartmentTree:
    """Return all departments, each below its parent (rules: registry 4.10)."""
    async with call.reader.connection() as connection:
        found = await store.list_all_departments(connection)
    return DepartmentTree(build_tree(found), len(found))


async def list_department_ancestors(call: Call, cd_ua: str) -> DepartmentAncestors:
    """Return a department's ancestors, from the top down. Raises NotFound for an unknown code.

    Return an empty list if there are more than `LONGEST_CHAIN`, because such a chain is a cycle or an error.
    """
    if not has_control(cd_ua):
        chain = await store.list_department_chain(call.reader, cd_ua, LONGEST_CHAIN + 1)
        if chain:
            return DepartmentAncestors(chain[:-1] if len(chain) <= LONGEST_CHAIN + 1 else [])
    raise _unknown()


def _unknown() -> NotFound:
    return NotFound("Não há órgão com este código.", code="department-unknown")
