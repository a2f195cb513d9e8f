"""All operations that the platform serves, as their routes declare them."""

import functools
import re
from dataclasses import dataclass

from balcao import app
from balcao.core.access.rules import PUBLIC
from balcao.core.http.operations import Operation
from balcao.core.http.responses import EVENTS
from balcao.core.service import Service, path_of

# The values of path parameters whose content does not matter.
FILLING = {"cpf": "90000000175", "cnes": "9900001"}

# This operation closes a whole service for all other calls. Only its own tests call it (rules: registry 4.16).
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
        """Whether a successful response has no end. Reading such a body completely would wait forever."""
        return EVENTS in self.operation.media_types

    def filled(self, **values: str) -> str:
        known = FILLING | values
        return self.service.prefix + re.sub(r"\{(\w+)(?::\w+)?\}", lambda m: known.get(m[1], "1"), self.path)


@functools.cache
def all_operations() -> list[Served]:
    return [
        Served(service, operation.method, path_of(service, operation), operation)
        for service in app.SERVICES
        for operation in service.operations()
    ]
