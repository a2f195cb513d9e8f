"""Build the department tree. Each department appears exactly once (rules: registry 4.10).

The tree contains every department even if parents in the import file are wrong, for example if they form a cycle.
"""

from collections.abc import Iterator, Mapping, Sequence

from balcao.registry.city.departments.schemas import Department, DepartmentNode

# The maximum number of a department's ancestors, because levels range from 0 to 99. A longer chain is a cycle or an
# error.
LONGEST_CHAIN = 99


def build_tree(departments: Sequence[Department]) -> list[DepartmentNode]:
    """Return the top departments, each with its descendants, in the given order."""
    nodes = {department.cd_ua: DepartmentNode.of(department) for department in departments}
    top: list[DepartmentNode] = []
    for node in nodes.values():
        ends = sum(1 for _ in _list_above(node, nodes)) <= LONGEST_CHAIN
        parent = nodes.get(node.cd_ua_pai or "") if ends else None
        (top if parent is None else parent.children).append(node)
    return top


def _list_above(node: DepartmentNode, nodes: Mapping[str, DepartmentNode]) -> Iterator[DepartmentNode]:
    """Yield at most LONGEST_CHAIN + 1 ancestors, nearest first, so that the caller can detect a cycle."""
    for _ in range(LONGEST_CHAIN + 1):
        parent = nodes.get(node.cd_ua_pai or "")
        if parent is None:
            return
        yield parent
        node = parent
