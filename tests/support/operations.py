"""All operations that the platform serves, taken from the declared routes."""

import functools
import re
from dataclasses import dataclass

from balcao import app
from balcao.core.access.rules import PUBLIC, WEBHOOK_CLIENTS
from balcao.core.http.operations import Operation
from balcao.core.http.responses import EVENTS
from balcao.core.service import Service, path_of

# Values for path parameters that do not affect the test.
FILLING = {"cpf": "90000000175", "cnes": "9900001"}

# This operation makes a whole service refuse all other calls, so only its own tests call it (rules: registry 4.16).
CLOSES_A_SERVICE = "registry.begin_maintenance"


@dataclass(frozen=True)
class Served:
    service: Service
    method: str
    path: str
    operation: Operation

    def __str__(self) -> str:
        return self.operation.key

    @property
    def public(self) -> bool:
        return self.operation.rule.action == PUBLIC

    @property
    def endless(self) -> bool:
        """Whether a successful response never ends. A test must not try to read such a body completely."""
        return EVENTS in self.operation.media_types

    def filled(self, **values: str) -> str:
        known = FILLING | values
        return self.service.prefix + re.sub(r"\{(\w+)(?::\w+)?\}", lambda m: known.get(m[1], "1"), self.path)


def find_machine(operation: Operation) -> str | None:
    """Return the demo client for which an operation is meant.

    Return None if people may call the operation or several clients share its scope.
    """
    if WEBHOOK_CLIENTS in operation.rule.clients:
        return "crm-sandbox"
    return "envios" if "rmi:consentimento:check" in operation.rule.scopes else None


@functools.cache
def all_operations() -> list[Served]:
    return [
        Served(service, operation.method, path_of(service, operation), operation)
        for service in app.SERVICES
        for operation in service.operations()
    ]
