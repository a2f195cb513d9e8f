"""The metrics of all processes of a machine. Every process can return them.

Each process writes its numbers to its own file once a second. The process that gets the request adds up the files.
Files have two advantages. First, counting costs almost nothing (in the client library's multi-process mode, every count
costs time, ADR 0013). Second, the counts of a killed process are not lost: its replacement takes over the file and
continues from it. A process only reports what its file contains, so no series ever decreases. The numbers of other
processes are at most a second old.
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
    """The metrics of this process's group. Without a shared folder, they cover only this process."""

    def __init__(self, telemetry: Telemetry, group: ProcessGroup) -> None:
        self._telemetry = telemetry
        self._group = group
        self._inherited = Numbers({}, {}, {})
        self._publishing: asyncio.Task[None] | None = None

    @property
    def process(self) -> str:
        """The name of this process."""
        return self._group.name

    def start(self) -> None:
        """Take over the numbers of a previous process with the same name, and start to publish.

        If several platforms run in one process, such as an API and a worker, only the first publishes.
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
        """Publish one last time, then stop publishing."""
        if self._publishing is not None and self._telemetry.publish is not None:
            self._publishing.cancel()
            self._telemetry.publish()
            self._telemetry.publish = None

    def exposition(self, gauges: Iterable[Metric] = ()) -> bytes:
        """Return the metrics for Prometheus. `gauges` are families that are read from the database."""
        return self._telemetry.exposition(self.numbers(), gauges)

    def numbers(self) -> Numbers:
        """Return the sums over all processes of the group, and the states of each process."""
        folder = self._group.metrics_folder
        if folder is None:
            return self._own_numbers()
        if self._telemetry.publish is not None:
            self._telemetry.publish()
        return sum_numbers(map(_read, sorted(folder.glob("*.msgpack"))))

    def _publish(self, folder: Path) -> None:
        """Write a new file and rename it, so that readers see complete files. A full disk only causes a warning."""
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
    """Return the file's content, or nothing if the file is missing or was written by another release."""
    try:
        return msgspec.msgpack.decode(file.read_bytes(), type=Numbers)
    except (OSError, msgspec.MsgspecError):
        return Numbers({}, {}, {})
