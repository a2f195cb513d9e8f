"""Portuguese names of all operations, for messages about calls."""

from collections.abc import Iterable

from balcao.core.http.operations import Operation


class OperationNames:
    """The summaries of all operations, including those of services that this process does not serve."""

    def __init__(self, operations: Iterable[Operation]) -> None:
        self._summaries = {operation.key: operation.summary for operation in operations}

    def find(self, key: str) -> str | None:
        """Return the summary of an operation, or None for a job, a command or an operation that no longer exists."""
        return self._summaries.get(key)
