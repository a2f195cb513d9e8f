"""Measures the CPU time of processes and their children."""

import contextlib
from collections.abc import Iterable

import psutil


def list_family(*parents: psutil.Process) -> list[psutil.Process]:
    """Return the processes and all their descendants."""
    return [each for parent in parents for each in (parent, *parent.children(recursive=True))]


def cpu_seconds(processes: Iterable[psutil.Process]) -> float:
    """Return the CPU seconds of those processes that are still running."""
    total = 0.0
    for each in processes:
        with contextlib.suppress(psutil.NoSuchProcess):
            times = each.cpu_times()
            total += times.user + times.system
    return total
