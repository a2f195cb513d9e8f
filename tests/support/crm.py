"""Runs the sandbox CRM as `balcao serve` does, in a thread with its own event loop."""

import threading
import time
from typing import Any

import httpx

from balcao.crm.sandbox.server import build_server
from balcao.settings import Settings
from tests.support.patience import PATIENCE
from tests.support.server import free_port


def crm_settings(data_dir: Any, **fields: Any) -> Settings:
    """Return a sandbox with a free port for its CRM, which knows of no registry."""
    return Settings(port=free_port(), data_dir=data_dir, **{"registry_url_override": "", **fields})


class RunningCrm:
    """Use as a context manager; `switch` calls the `/_sandbox` paths."""

    def __init__(self, settings: Settings, anonymisation_seconds: float = 0.0) -> None:
        self.settings = settings
        self._server = build_server(settings, anonymisation_seconds)
        self._thread = threading.Thread(target=self._server.run, daemon=True)

    def __enter__(self) -> "RunningCrm":
        self._thread.start()
        deadline = time.monotonic() + PATIENCE
        while not self._server.started:
            if not self._thread.is_alive() or time.monotonic() > deadline:
                raise RuntimeError("the sandbox CRM did not start")
            time.sleep(0.01)
        self.switch = httpx.Client(base_url=f"{self.settings.crm_url}/_sandbox", timeout=PATIENCE)
        return self

    def __exit__(self, *_: object) -> None:
        self.switch.close()
        self._server.should_exit = True
        self._thread.join(PATIENCE)

    def reset(self) -> None:
        for _ in range(2):  # calls given up by the last test may be read while the first one is answered
            self.switch.post("/reset").raise_for_status()

    def faults(self, *faults: dict[str, Any]) -> None:
        self.switch.put("/faults", json=list(faults)).raise_for_status()

    def requests(self, **filters: str) -> list[dict[str, Any]]:
        entries: list[dict[str, Any]] = self.switch.get("/requests", params=filters).json()
        return entries

    def operations(self, **filters: str) -> list[str]:
        """Of the calls so far, in order, without those for a token."""
        return [entry["operation"] for entry in self.requests(**filters) if entry["operation"] != "token"]

    def accounts(self, cpf: str) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self.switch.get("/accounts", params={"cpf": cpf}).json()
        return found
