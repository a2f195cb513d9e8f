"""The sandbox CRM as `balcao serve` runs it, but in a thread with its own event loop."""

import functools
from typing import Any, Self
from urllib.parse import quote

import httpx

from balcao.settings import Settings
from balcao_sandbox.crm.server import build_server
from tests.support.polling import PATIENCE
from tests.support.server import UNLIMITED, free_port
from tests.support.uvicorn_server import RunningUvicorn


def crm_settings(data_dir: Any, **fields: Any) -> Settings:
    """Return settings with a free port for a CRM. The CRM sends no events to a registry."""
    return Settings(
        port=free_port(), data_dir=data_dir, **{"registry_url_override": "", **fields}, refused_rate=UNLIMITED
    )


class RunningCrm(RunningUvicorn):
    """A running sandbox CRM, as a context manager. `switch` is a client for the paths under `/_sandbox`."""

    def __init__(
        self, settings: Settings, anonymisation_seconds: float = 0.0, case_seconds: float | None = None
    ) -> None:
        self.settings = settings
        super().__init__(build_server(settings, anonymisation_seconds, case_seconds))

    def __enter__(self) -> Self:
        super().__enter__()
        self.switch = httpx.Client(base_url=f"{self.settings.crm_url}/_sandbox", timeout=PATIENCE)
        return self

    def __exit__(self, *exit_: object) -> None:
        self.switch.close()
        super().__exit__(*exit_)

    def reset(self) -> None:
        for _ in range(2):  # an abandoned call may still arrive after the first reset
            self.switch.post("/reset").raise_for_status()

    def faults(self, *faults: dict[str, Any]) -> None:
        self.switch.put("/faults", json=list(faults)).raise_for_status()

    def requests(self, **filters: str) -> list[dict[str, Any]]:
        entries: list[dict[str, Any]] = self.switch.get("/requests", params=filters).json()
        return entries

    def operations(self, **filters: str) -> list[str]:
        """Return the operations of all recorded calls in order, except token requests."""
        return [entry["operation"] for entry in self.requests(**filters) if entry["operation"] != "token"]

    def insert(self, entity: str, **fields: Any) -> str:
        """Create a record as another client of the CRM would, and return its id."""
        created = self._call("POST", f"sobjects/{entity}", fields)
        created_id: str = created.json()["id"]
        return created_id

    def change(self, entity: str, record_id: str, **fields: Any) -> None:
        """Change a record as another client of the CRM would."""
        self._call("PATCH", f"sobjects/{entity}/{record_id}", fields)

    def upsert(self, entity: str, field: str, key: str, **fields: Any) -> None:
        """Create or change the record with this key as another client of the CRM would."""
        self._call("PATCH", f"sobjects/{entity}/{field}/{quote(key, safe='')}", fields)

    def query(self, text: str) -> list[dict[str, Any]]:
        """Return the records that a SOQL query finds."""
        found: list[dict[str, Any]] = self._call("GET", f"query?q={quote(text)}").json()["records"]
        return found

    def _call(self, method: str, path: str, body: dict[str, Any] | None = None) -> httpx.Response:
        settings = self.settings
        url = f"{settings.crm_url}/services/data/{settings.crm_api_version}/{path}"
        response = httpx.request(method, url, json=body, headers=self._authorization)
        if response.status_code == httpx.codes.UNAUTHORIZED:  # a proof may take longer than a token is valid
            del self._authorization
            response = httpx.request(method, url, json=body, headers=self._authorization)
        return response.raise_for_status()

    @functools.cached_property
    def _authorization(self) -> dict[str, str]:
        settings, secret = self.settings, self.settings.crm_client_secret.get_secret_value()
        form = {"grant_type": "client_credentials", "client_id": settings.crm_client_id, "client_secret": secret}
        address = f"{settings.crm_url}/services/oauth2/token"
        token = httpx.post(address, data=form, timeout=PATIENCE).raise_for_status().json()
        return {"Authorization": f"Bearer {token['access_token']}"}

    def cases(self, **filters: str) -> list[dict[str, Any]]:
        """Return the cases that the platform has opened, with their steps."""
        found: list[dict[str, Any]] = self.switch.get("/cases", params=filters).json()
        return found

    def move(self, number: str, status: str, message: str | None = None) -> None:
        """Set the status of a case, as the CRM's own staff would."""
        self.switch.post("/cases", json={"number": number, "status": status, "message": message}).raise_for_status()

    def accounts(self, cpf: str) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self.switch.get("/accounts", params={"cpf": cpf}).json()
        return found
