"""Assigns some processor cores to the server, and the others to the database and the load generator."""

import contextlib
import os
from collections.abc import Iterable, Iterator

import psutil

# Only Linux can bind processes to cores. On other systems, any process may run on any core.
CAN_BIND = hasattr(os, "sched_setaffinity")
ALL = tuple(sorted(os.sched_getaffinity(0))) if CAN_BIND else tuple(range(os.cpu_count() or 1))
SERVER = ALL[:1]
TWO = ALL[:2]
OTHERS = ALL[1:] or ALL


@contextlib.contextmanager
def running_on(cores: Iterable[int]) -> Iterator[None]:
    """Bind all processes that start within the block to these cores."""
    if not CAN_BIND:
        yield
        return
    os.sched_setaffinity(0, cores)
    try:
        yield
    finally:
        os.sched_setaffinity(0, ALL)


def move(process: psutil.Process, cores: Iterable[int]) -> None:
    """Bind a running process and its children to these cores. Processes that they start later inherit the binding."""
    if not CAN_BIND:
        return
    for each in [process, *process.children(recursive=True)]:
        with contextlib.suppress(psutil.NoSuchProcess, ProcessLookupError):
            os.sched_setaffinity(each.pid, cores)
