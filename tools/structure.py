"""Print the imports between packages, between groups of core, and between a service's parts. Fail on a cycle.

`python -m tools.structure` (`make structure`) lists each node with its imports, in topological order.
"""

import sys
from collections.abc import Callable, Iterator, Mapping
from graphlib import CycleError, TopologicalSorter

import grimp

ROOT = "balcao"
Picture = Mapping[str, set[str]]


def picture(graph: grimp.ImportGraph, node_of: Callable[[str], str | None]) -> Picture:
    """Return each node with the nodes that it imports. Modules for which `node_of` returns None are left out."""
    found: dict[str, set[str]] = {}
    for module in graph.modules:
        node = node_of(module)
        if node is None:
            continue
        imported = {node_of(other) for other in graph.find_modules_directly_imported_by(module)}
        found.setdefault(node, set()).update(other for other in imported if other not in (None, node))
    return found


def packages(graph: grimp.ImportGraph) -> Picture:
    """Return the imports between the top-level packages."""
    return picture(graph, lambda module: _child(module, ROOT))


def children(graph: grimp.ImportGraph, parent: str) -> Picture:
    """Return the imports between the direct children of a package: its groups, areas or features."""
    return picture(graph, lambda module: _child(module, parent))


def features(graph: grimp.ImportGraph, service: str) -> Picture:
    """Return the imports between a service's features and its other modules, across all areas."""
    folders = sorted(list_features(graph), key=len)

    def node_of(module: str) -> str | None:
        if module == service or not module.startswith(f"{service}.") or graph_is_list(module):
            return None
        return next((folder for folder in folders if f"{module}.".startswith(f"{folder}.")), module)

    def graph_is_list(module: str) -> bool:
        """Return whether the module is the package of an area. Such a package only lists the area's features."""
        return module not in folders and bool(graph.find_children(module))

    return picture(graph, node_of)


def cycle(found: Picture) -> list[str] | None:
    """Return the nodes of a cycle, with the first node repeated at the end. Return None without a cycle."""
    try:
        TopologicalSorter(found).prepare()
    except CycleError as error:
        return list(error.args[1])
    return None


def list_features(graph: grimp.ImportGraph) -> set[str]:
    """Return the folders that declare a feature: in `api.py`, or in `feature.py` if it has no routes."""
    found = graph.find_modules_that_directly_import(f"{ROOT}.core.feature")
    return {module.rpartition(".")[0] for module in found if module.rpartition(".")[2] in {"api", "feature"}}


def services(graph: grimp.ImportGraph) -> list[str]:
    """Return the packages that contain features, which are the services."""
    return sorted({".".join(folder.split(".")[:2]) for folder in list_features(graph)})


def pictures(graph: grimp.ImportGraph) -> Iterator[tuple[str, Picture]]:
    """Yield every graph that must not have a cycle, with its heading."""
    yield ROOT, packages(graph)
    yield f"{ROOT}.core", children(graph, f"{ROOT}.core")
    for service in services(graph):
        yield service, children(graph, service)
        yield f"{service}, features", features(graph, service)


def _child(module: str, parent: str) -> str | None:
    if not module.startswith(f"{parent}."):
        return None
    depth = parent.count(".") + 2
    return ".".join(module.split(".")[:depth])


def main() -> int:
    """Print every graph. Return 1 if any of them has a cycle."""
    graph = grimp.build_graph(ROOT, cache_dir=None)
    has_cycle = False
    for heading, found in pictures(graph):
        print(f"\n{heading}")
        if knot := cycle(found):
            has_cycle = True
            print("  CYCLE: " + " <- ".join(knot))
        order = sorted(found) if knot else list(TopologicalSorter(found).static_order())
        for node in order:
            imports = ", ".join(sorted(_short(other, heading) for other in found.get(node, ())))
            print(f"  {_short(node, heading):24} {imports or '-'}")
    return 1 if has_cycle else 0


def _short(node: str, heading: str) -> str:
    return node.removeprefix(f"{heading.partition(',')[0]}.")


if __name__ == "__main__":
    sys.exit(main())
