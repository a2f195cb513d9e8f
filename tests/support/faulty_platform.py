"""A `balcao serve` whose parts a test kills or freezes one after another."""

import signal
from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import Any

import httpx
import psutil

from balcao.settings import Settings
from tests.support.polling import PATIENCE
from tests.support.terminal import Serving, Terminal


class FaultyPlatform:
    """A platform with two API processes, a worker, a CRM and PostgreSQL.

    After `everything` has been killed, the platform starts again.
    """

    def __init__(self, settings: Settings) -> None:
        self._crm = settings.crm_url
        self._terminal = Terminal(settings.data_dir, port=settings.port, data_dir=settings.data_dir)
        self._serving = Serving(self._terminal, "--processes", "2")

    def __enter__(self) -> "FaultyPlatform":
        self._serving.__enter__()
        return self

    def __exit__(self, *_: object) -> None:
        self._serving.__exit__()

    def kill(self, part: str) -> None:
        """Kill a part: a process role, `postgres` or `everything`."""
        if part == "everything":
            _send(signal.SIGKILL, [self._serving.process, *self._serving.family()])
            self._serving.process.wait()
            self._serving = Serving(self._terminal, "--processes", "2")
            self._serving.__enter__()
        else:
            _send(signal.SIGKILL, self._processes(part))

    def freeze(self, part: str) -> list[psutil.Process]:
        """Freeze a part, and return its processes. `thaw` resumes them."""
        frozen = self._processes(part)
        _send(signal.SIGSTOP, frozen)
        return frozen

    def thaw(self, frozen: Iterable[psutil.Process]) -> None:
        _send(signal.SIGCONT, frozen)

    def break_crm(self, fault: Mapping[str, Any] | None) -> None:
        """Inject a fault into the sandbox CRM, or remove it."""
        break_crm(self._crm, fault)

    def _processes(self, part: str) -> list[psutil.Process]:
        return self._serving.databases() if part == "postgres" else [self._serving.process_of(part)]


def break_crm(address: str, fault: Mapping[str, Any] | None) -> None:
    """Replace all faults of the sandbox CRM with this fault, or with none."""
    faults = [] if fault is None else [fault]
    httpx.put(f"{address}/_sandbox/faults", json=faults, timeout=PATIENCE).raise_for_status()


def _send(number: signal.Signals, processes: Iterable[psutil.Process]) -> None:
    for process in processes:
        with suppress(psutil.NoSuchProcess):
            process.send_signal(number)
