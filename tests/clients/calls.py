"""Calls that every generated client makes to a server with the demo data: one for each service, with a token."""

from dataclasses import dataclass
from typing import Any

from balcao import app
from tests.support.demo_people import ANA
from tests.support.sandbox import ADMIN, Sandbox


@dataclass(frozen=True)
class ClientCall:
    """An operation to call. `values` are path parameters; `{name}` stands for an example of the demo data.

    `shows` is the response member to compare with `expected`.
    """

    key: str
    method: str
    path: str
    who: str
    values: dict[str, str | int]
    body: dict[str, Any] | None
    body_type: str
    shows: str
    expected: str

    @property
    def operation(self) -> str:
        """The operation's name in generated clients."""
        return self.key.replace(".", "_")

    def filled(self, sandbox: Sandbox) -> dict[str, Any]:
        """Return the values, with `{name}` replaced by the example of the demo data."""
        examples = sandbox.examples
        return {
            name: examples[value.strip("{}")] if isinstance(value, str) and value.startswith("{") else value
            for name, value in self.values.items()
        }


CALLS = {
    "registry": ClientCall(
        "registry.read_preferences", "GET", "/citizen/{cpf}/notification-preferences", ANA,
        {"cpf": ANA}, None, "", "cpf", ANA,
    ),
    "employability": ClientCall(
        "employability.read_work_model", "GET",
        "/api/v1/empregabilidade/modelos-trabalho/{id}", ANA, {"id": "{work_model_id}"}, None, "", "descricao",
        "Remoto",
    ),
    "search": ClientCall(
        "search.read_migration_history", "GET", "/api/v1/admin/migration/history", ADMIN, {}, None, "",
        "page", "1",
    ),
    "access": ClientCall(
        "access.update_action", "PUT", "/api/v1/actions/{action_id}", ADMIN, {"action_id": "{action_id}"},
        {"name": "avatars:write", "description": "Mantém as figuras."},
        "ActionChange", "description", "Mantém as figuras.",
    ),
    "health_units": ClientCall(
        "health_units.read_risk", "GET", "/unidade/{cnes}/risco", ANA, {"cnes": "{cnes_active}"}, None, "",
        "cnes", "9900004",
    ),
    "agents": ClientCall(
        "agents.check_token", "GET", "/api/v1/auth", ANA, {}, None, "", "status", "ok",
    ),
    "agent_docs": ClientCall(
        "agent_docs.read_description", "GET", "/swagger.json", ANA, {}, None, "", "openapi", "3.1.0",
    ),
}  # fmt: skip
assert set(CALLS) == set(app.NAMES)
