"""A cache of encoded configuration responses by id. Configurations never change, so no entry becomes stale."""

from collections import OrderedDict

from balcao.core.values.ready import Ready

SIZE = 1000


class ConfigCache:
    """A bounded cache that evicts the least recently used response."""

    def __init__(self, size: int = SIZE) -> None:
        self._size = size
        self._responses: OrderedDict[str, Ready] = OrderedDict()

    def get(self, config_id: str) -> Ready | None:
        """Return the cached response and mark it as recently used. Return None if it is not cached."""
        found = self._responses.get(config_id)
        if found is not None:
            self._responses.move_to_end(config_id)
        return found

    def add(self, config_id: str, ready: Ready) -> Ready:
        """Add a response and return it. If the cache is full, evict the least recently used response."""
        self._responses[config_id] = ready
        if len(self._responses) > self._size:
            self._responses.popitem(last=False)
        return ready
