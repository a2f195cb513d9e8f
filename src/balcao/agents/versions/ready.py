"""Configurations as ready answers: they never change, so each process keeps the ones asked for last."""

from collections import OrderedDict
from uuid import UUID

from balcao.core.http.responses import Ready

SIZE = 1000


class ReadyConfigs:
    """Bounded; the one not asked for longest goes first."""

    def __init__(self, size: int = SIZE) -> None:
        self._size = size
        self._kept: OrderedDict[UUID, Ready] = OrderedDict()

    def get(self, config_id: UUID) -> Ready | None:
        found = self._kept.get(config_id)
        if found is not None:
            self._kept.move_to_end(config_id)
        return found

    def keep(self, config_id: UUID, ready: Ready) -> Ready:
        self._kept[config_id] = ready
        if len(self._kept) > self._size:
            self._kept.popitem(last=False)
        return ready
