"""The departments as a tree: each of them once, whatever the city's file says of parents (rules: registry 4.10)."""

from collections.abc import Iterator, Mapping, Sequence

from balcao.registry.city.departments.schemas import Department, DepartmentNode

# As many steps as there are levels. A chain of parents that is longer goes round in a ring, or means nothing.
LONGEST_CHAIN = 99


def build_tree(departments: Sequence[Department]) -> list[DepartmentNode]:
    """Return the departments that stand at the top, each with those below it, in the order that they are given in."""
    nodes = {department.cd_ua: DepartmentNode.of(department) for department in departments}
    top: list[DepartmentNode] = []
    for node in nodes.values():
        ends = sum(1 for _ in _list_above(node, nodes)) <= LONGEST_CHAIN
        parent = nodes.get(node.cd_ua_pai or "") if ends else None
        (top if parent is None else parent.children).append(node)
    return top


def _list_above(node: DepartmentNode, nodes: Mapping[str, DepartmentNode]) -> Iterator[DepartmentNode]:
    """Yield the departments above, the nearest first; one more than the longest chain if there is no end of them."""
    for _ in range(LONGEST_CHAIN + 1):
        parent = nodes.get(node.cd_ua_pai or "")
        if parent is None:
            return
        yield parent
        node = parent
