"""A service: its features, and the operations that it serves."""

import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, nullcontext
from dataclasses import dataclass, field
from importlib.resources import files
from types import NoneType

import asyncpg

from balcao import __version__
from balcao.core.access.catalogue import AnnouncedOperation
from balcao.core.access.paths import REST
from balcao.core.audit.personal_data import PersonalData
from balcao.core.audit.retention import Retention
from balcao.core.context.platform import Platform
from balcao.core.database.gauges import Gauge
from balcao.core.database.migrations import Migration, find_migrations
from balcao.core.exports.declaration import Export
from balcao.core.feature import Feature
from balcao.core.http.described_webhooks import SentEvent
from balcao.core.http.dialects import Dialect
from balcao.core.http.health import PATHS as HEALTH_PATHS
from balcao.core.http.health import health_operations
from balcao.core.http.operations import Operation
from balcao.core.http.pages import description_operations
from balcao.core.http.routing import REST_OF_PATH
from balcao.core.imports.declaration import Import
from balcao.core.jobs.declaration import DeadJobs
from balcao.core.jobs.worker import JobKind


@dataclass(frozen=True, eq=False)
class Service:
    """A service of the platform.

    - `prefix`: the prefix of the service's paths on the gateway. `base` precedes every path, even without the gateway.
    - `features`: the declarations of routes, jobs, retention, personal data, imports, exports and dead-lettered jobs.
    - `description`, `tags` (by name): for the OpenAPI document, in Portuguese.
    - `dialects`: maps a path prefix to its error format. The longest match wins; "" is the service's default.
    - `health_paths`: the paths of liveness and readiness, by the operation's name, which begins with "live" or "ready".
      Empty if the service declares these operations itself.
    - `ready`: the service's own checks of readiness, by name.
    - `has_city_times`: timestamps of liveness and readiness have the city's offset, as elsewhere in the service.
    - `seed`: loads seed data after the migrations.
    - `lifespan`: opens the resources that the service needs while the process runs.
    """

    name: str
    prefix: str
    title: str
    package: str
    features: Sequence[Feature]
    dialects: Mapping[str, Dialect]
    base: str = ""
    version: str = __version__
    description: str = ""
    tags: Mapping[str, str] = field(default_factory=dict)
    seed: Callable[[asyncpg.Connection], Awaitable[None]] | None = None
    lifespan: Callable[[Platform], AbstractAsyncContextManager[None]] = lambda _: nullcontext()
    ready: Callable[[Platform], Awaitable[Mapping[str, bool]]] | None = None
    health_paths: Mapping[str, str] = field(default_factory=lambda: HEALTH_PATHS)
    has_city_times: bool = False

    @property
    def routes(self) -> list[Operation]:
        """The operations that the features declare."""
        return [route for feature in self.features for route in feature.routes]

    @property
    def sent_events(self) -> list[SentEvent]:
        """The kinds of events that the features send to webhooks."""
        return [event for feature in self.features for event in feature.sent_events]

    @property
    def jobs(self) -> list[JobKind]:
        """The kinds of jobs of all features."""
        return [kind for feature in self.features for kind in feature.jobs]

    @property
    def retention(self) -> list[Retention]:
        """The retention declarations of all features."""
        return [retention for feature in self.features for retention in feature.retention]

    @property
    def personal_data(self) -> list[PersonalData]:
        """The personal-data declarations of all features."""
        return [feature.personal_data for feature in self.features if feature.personal_data is not None]

    @property
    def imports(self) -> dict[str, Import]:
        """The imports of all features, by their name in the import command."""
        return {declared.kind: declared for feature in self.features for declared in feature.imports}

    @property
    def exports(self) -> list[Export]:
        """The kinds of the service's export, in the order of its features."""
        return [export for feature in self.features for export in feature.exports.list_kinds()]

    @property
    def dead_jobs(self) -> list[DeadJobs]:
        """The declarations of all features' dead-lettered jobs."""
        return [declared for feature in self.features for declared in feature.dead_jobs]

    @property
    def gauges(self) -> list[Gauge]:
        """The gauges of all features."""
        return [gauge for feature in self.features for gauge in feature.gauges]

    @property
    def limits(self) -> dict[str, str]:
        """The rates, by name, that use cases count in addition to the rates of their operations."""
        return {name: rate for feature in self.features for name, rate in feature.limits.items()}

    def dialect(self, path: str) -> Dialect:
        """Return the error format for this path, which is relative to the service's base."""
        matching = [start for start in self.dialects if path.startswith(start)]
        return self.dialects[max(matching, key=len)]

    def operations(self) -> list[Operation]:
        """Return all operations sorted by path, including those that every service has.

        Raises MalformedOperation if declarations contradict each other or the rules of the catalogue.
        """
        found = [
            *self.routes,
            *health_operations(
                self.name, self.dialect(""), self.ready, self.health_paths, has_city_times=self.has_city_times
            ),
            *description_operations(self),
        ]
        _refuse_malformed(self, found)
        return sorted(found, key=lambda operation: (operation.path, operation.method))

    def migrations(self) -> list[Migration]:
        """Return the service's own migrations in their order."""
        folder = files(self.package) / "migrations"
        return find_migrations(self.name, folder) if folder.is_dir() else []


class MalformedOperation(Exception):
    """An operation's declaration contradicts another, or the catalogue cannot store it.

    The process refuses to start.
    """


def path_of(service: Service, operation: Operation) -> str:
    """Return the operation's path under the service's prefix."""
    return (service.base + operation.path).rstrip("/") or "/"


_ACTION = re.compile(r"(?=.{3,100}\Z)[A-Za-z0-9_.-]+(:[A-Za-z0-9_.-]+)+")
_PARAMETER = re.compile(r"\{[^}]*\}")


def _refuse_malformed(service: Service, found: Sequence[Operation]) -> None:
    keys: set[str] = set()
    shapes: set[tuple[str, str]] = set()
    for operation in found:
        where = f"{service.name}: {operation.method} {operation.path}"
        shape = (operation.method, _PARAMETER.sub("*", operation.path.rstrip("/")))
        if not operation.key.startswith(f"{service.name}.") or operation.key in keys:
            raise MalformedOperation(f"{where}: a chave {operation.key} é de outro serviço ou operação")
        if shape in shapes:
            raise MalformedOperation(f"{where}: outra operação tem o mesmo método e a mesma forma de caminho")
        for name in (operation.rule.action, *operation.rule.also):
            if not _ACTION.fullmatch(name):
                raise MalformedOperation(f"{where}: o nome de ação {name} não tem a forma recurso:verbo")
        if operation.signature.returns is NoneType and operation.status != 204:
            raise MalformedOperation(f"{where}: nada é devolvido, e falta status=204")
        keys.add(operation.key)
        shapes.add(shape)


def describe_operations(service: Service) -> list[AnnouncedOperation]:
    """Return the service's operations in the form in which they are announced to the access catalogue."""
    return [
        AnnouncedOperation(
            operation=operation.key,
            service=service.name,
            method=operation.method,
            path_pattern=(service.prefix + path_of(service, operation).rstrip("/")).replace(REST_OF_PATH, REST),
            action=operation.rule.action,
            guard=operation.rule.guard,
            floor=operation.rule.floor,
            description=operation.summary,
            also=operation.rule.also,
        )
        for operation in service.operations()
    ]
