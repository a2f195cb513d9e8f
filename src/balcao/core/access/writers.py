"""Callers who may change a service's public data, and therefore must not read an outdated copy of these data."""

from collections.abc import Iterable, Mapping
from typing import TypeAlias

from balcao.core.access.caller import Caller
from balcao.core.access.rules import Reason, Rule, decide
from balcao.core.access.snapshot import Snapshot

_ENTITLING = frozenset({Reason.GRANTED, Reason.SCOPE, Reason.CLIENT})
ClientLists: TypeAlias = Mapping[str, frozenset[str]]


class Writers:
    """Finds the callers, such as staff and machines, who hold a right to an operation that writes.

    People's changes to their own data do not count, because other callers cannot read those data without a right.
    """

    def __init__(self, operations: Iterable[tuple[str, Rule]]) -> None:
        """`operations` are the keys and rules of the operations that write."""
        self._operations = tuple(operations)

    def include(self, caller: Caller, snapshot: Snapshot, client_lists: ClientLists) -> bool:
        """Return whether the caller may call an operation, or holds an action that an operation checks itself."""
        seen: set[tuple[str, Rule]] = set()
        for key, rule in self._operations:
            bound = snapshot.bindings.get(key, rule.action)
            if (bound, rule) in seen:
                continue
            seen.add((bound, rule))
            if decide(rule, bound, caller, None, snapshot, client_lists).reason in _ENTITLING:
                return True
            if any(snapshot.grants(caller, action) for action in rule.also):
                return True
        return False
