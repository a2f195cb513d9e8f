"""The metrics of all processes of a machine, whichever of them is asked.

Each process puts its numbers into a file of its own once a second, and the one that is asked adds the files up. Files,
because counting must cost next to nothing (the client library's multi-process mode pays for every count, ADR 0013), and
because what a killed process counted must stay: its replacement takes over the file and goes on from there. So no
series ever goes backwards, since a process shows only what stands in its file; others' numbers are at most a second
late.
"""

import asyncio
import functools
import os
from collections.abc import Callable, Iterable
from pathlib import Path

import msgspec
from prometheus_client.metrics_core import Metric

from balcao.core.context.processes import ProcessGroup
from balcao.core.logs import log
from balcao.core.telemetry import Numbers, Telemetry, sum_numbers

PUBLISH_SECONDS = 1.0


class Metrics:
    """The metrics of the group that this process belongs to; its own alone where the group has no folder."""

    def __init__(self, telemetry: Telemetry, group: ProcessGroup) -> None:
        self._telemetry = telemetry
        self._group = group
        self._inherited = Numbers({}, {}, {})
        self._publishing: asyncio.Task[None] | None = None

    @property
    def process(self) -> str:
        """Return the name of this process."""
        return self._group.name

    def start(self) -> None:
        """Take over what a process of the same name left, and publish from now on.

        Of several platforms in one process, as an API and a worker may be, the first one does it for all.
        """
        folder = self._group.metrics_folder
        if folder is None or self._telemetry.publish is not None:
            return
        self._telemetry.publish = functools.partial(self._publish, folder)
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        predecessor = _read(self._file(folder))
        self._inherited = Numbers(predecessor.counts, predecessor.times, {})
        self._publishing = asyncio.create_task(_repeat(self._telemetry.publish))

    def stop(self) -> None:
        """Publish a last time, and stop publishing."""
        if self._publishing is not None and self._telemetry.publish is not None:
            self._publishing.cancel()
            self._telemetry.publish()
            self._telemetry.publish = None

    def exposition(self, gauges: Iterable[Metric] = ()) -> bytes:
        """Return what Prometheus reads; `gauges` are families that the database knows."""
        return self._telemetry.exposition(self.numbers(), gauges)

    def numbers(self) -> Numbers:
        """Return the sums over all processes of the group, and the states of each."""
        folder = self._group.metrics_folder
        if folder is None:
            return self._own_numbers()
        if self._telemetry.publish is not None:
            self._telemetry.publish()
        return sum_numbers(map(_read, sorted(folder.glob("*.msgpack"))))

    def _publish(self, folder: Path) -> None:
        """Write the file aside and rename it, so that no reader sees half of it; a full disk stops nothing else."""
        file = self._file(folder)
        try:
            file.with_suffix(".new").write_bytes(msgspec.msgpack.encode(self._own_numbers()))
            file.with_suffix(".new").replace(file)
        except OSError as failure:
            log.warning("metrics.not_published", code=os.strerror(failure.errno or 0))

    def _own_numbers(self) -> Numbers:
        return sum_numbers([self._inherited, self._telemetry.numbers(self._group.name)])

    def _file(self, folder: Path) -> Path:
        return folder / f"{self._group.name}.msgpack"


async def _repeat(publish: Callable[[], None]) -> None:
    while True:
        await asyncio.sleep(PUBLISH_SECONDS)
        publish()


def _read(file: Path) -> Numbers:
    """Return what the file holds; nothing for one that is not there, or that another release wrote."""
    try:
        return msgspec.msgpack.decode(file.read_bytes(), type=Numbers)
    except (OSError, msgspec.MsgspecError):
        return Numbers({}, {}, {})
