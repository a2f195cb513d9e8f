"""A service as the platform knows it, and the application that serves its routes."""

import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, nullcontext
from dataclasses import dataclass, field
from importlib.resources import files
from typing import Any

import asyncpg
from litestar import Litestar, Request, Router
from litestar.datastructures import State
from litestar.di import Provide
from litestar.handlers import HTTPRouteHandler
from litestar.openapi.config import OpenAPIConfig
from litestar.openapi.spec import Components, License, SecurityScheme, Server, Tag

from balcao import __version__
from balcao.core.access.catalogue import AnnouncedOperation
from balcao.core.access.check import CALL, count_refusal
from balcao.core.audit.personal_data import PersonalData
from balcao.core.audit.retention import Retention
from balcao.core.context.call import Call
from balcao.core.context.platform import Platform
from balcao.core.database.migrations import Migration, find
from balcao.core.feature import Demo, Feature
from balcao.core.http.dialects import Dialect, exception_handlers
from balcao.core.http.health import PATHS as HEALTH_PATHS
from balcao.core.http.health import health_routes
from balcao.core.http.operations import Operation
from balcao.core.http.pages import description_routes
from balcao.core.imports.declaration import Import
from balcao.core.jobs.declaration import DeadJobs
from balcao.core.jobs.worker import JobKind


def _nothing(_: Platform) -> AbstractAsyncContextManager[None]:
    return nullcontext()


@dataclass(frozen=True, eq=False)
class Service:
    """`prefix` is the gateway's, `base` stands before every path also without gateway.

    `features` bring routes, jobs, retention, personal data, imports, dead-lettered jobs and demo data, in their order.
    `dialects` maps a path's beginning to the wording of faults; the longest match counts, "" is the service's own.
    `health_paths` are those of liveness and readiness, by the operation's word, which begins with "live" or "ready".
    `shipped` loads reference data after the migrations; `running` opens what the service keeps in the process.
    """

    name: str
    prefix: str
    title: str
    package: str
    features: Sequence[Feature]
    dialects: Mapping[str, Dialect]
    base: str = ""
    version: str = __version__
    tags: Sequence[str] = ()
    shipped: Callable[[asyncpg.Connection], Awaitable[None]] | None = None
    running: Callable[[Platform], AbstractAsyncContextManager[None]] = field(default=_nothing)
    ready: Callable[[Platform], Awaitable[Mapping[str, bool]]] | None = None
    health_paths: Mapping[str, str] = field(default_factory=lambda: HEALTH_PATHS)

    @property
    def routes(self) -> list[HTTPRouteHandler]:
        return [route for feature in self.features for route in feature.routes]

    @property
    def jobs(self) -> list[JobKind]:
        return [kind for feature in self.features for kind in feature.jobs]

    @property
    def retention(self) -> list[Retention]:
        return [retention for feature in self.features for retention in feature.retention]

    @property
    def personal_data(self) -> list[PersonalData]:
        return [feature.personal_data for feature in self.features if feature.personal_data is not None]

    @property
    def imports(self) -> dict[str, Import]:
        """By the word of the import command."""
        return {declared.kind: declared for feature in self.features for declared in feature.imports}

    @property
    def dead_jobs(self) -> list[DeadJobs]:
        return [declared for feature in self.features for declared in feature.dead_jobs]

    @property
    def demos(self) -> list[Demo]:
        return [feature.demo for feature in self.features if feature.demo is not None]

    def dialect(self, path: str) -> Dialect:
        matching = [start for start in self.dialects if path.startswith(start)]
        return self.dialects[max(matching, key=len)]

    def migrations(self) -> list[Migration]:
        folder = files(self.package) / "migrations"
        return find(self.name, folder) if folder.is_dir() else []


class MissingRule(Exception):
    """A route was declared without `operation`: the platform refuses to start."""


class MalformedOperation(Exception):
    """A declaration that the access catalogue cannot hold: the platform refuses to start."""


def application(service: Service, platform: Platform) -> Litestar:
    """The service's ASGI application. Raises MissingRule and MalformedOperation."""
    app = _assembled(service, State({"platform": platform}), None)
    operations_of(service, app)
    return app


def description(service: Service, server_urls: Sequence[str] = ()) -> dict[str, Any]:
    """The service's OpenAPI document, generated from the same routes by an application that serves nothing."""
    return _assembled(service, State(), _openapi(service, server_urls)).openapi_schema.to_schema()


def _assembled(service: Service, state: State, openapi: OpenAPIConfig | None) -> Litestar:
    routes = [
        *service.routes,
        *health_routes(service.name, service.dialect(""), service.ready, service.health_paths),
        *description_routes(service),
    ]
    return Litestar(
        route_handlers=[Router(path=service.base or "/", route_handlers=routes)],
        exception_handlers=exception_handlers(lambda path: service.dialect(path.removeprefix(service.base))),
        after_exception=[count_refusal],
        dependencies={"call": Provide(_call, sync_to_thread=False)},
        openapi_config=openapi,
        state=state,
        logging_config=None,
    )


def _call(request: Request[Any, Any, Any]) -> Call:
    scope: Any = request.scope
    call: Call = scope[CALL]
    return call


def operations_of(service: Service, app: Litestar) -> list[tuple[str, str, Operation]]:
    """Method, path without prefix, and declaration of every operation. Raises MissingRule and MalformedOperation."""
    found = []
    for route in app.routes:
        for handler in getattr(route, "route_handlers", ()):
            methods = sorted(handler.http_methods - {"OPTIONS"})
            declared = handler.opt.get("operation")
            if methods and declared is None:
                raise MissingRule(f"{service.name}: {methods[0]} {route.path_format} não declara regra de acesso")
            found += [(method, route.path_format, declared) for method in methods]
    _refuse_malformed(service, found)
    return sorted(found, key=lambda row: (row[1], row[0]))


_ACTION = re.compile(r"(?=.{3,100}\Z)[A-Za-z0-9_.-]+(:[A-Za-z0-9_.-]+)+")
_PARAMETER = re.compile(r"\{[^}]*\}")


def _refuse_malformed(service: Service, found: Sequence[tuple[str, str, Operation]]) -> None:
    keys: set[str] = set()
    shapes: set[tuple[str, str]] = set()
    for method, path, declared in found:
        where = f"{service.name}: {method} {path}"
        shape = (method, _PARAMETER.sub("*", path.rstrip("/")))
        if not declared.key.startswith(f"{service.name}.") or declared.key in keys:
            raise MalformedOperation(f"{where}: a chave {declared.key} é de outro serviço ou operação")
        if shape in shapes:
            raise MalformedOperation(f"{where}: outra operação tem o mesmo método e a mesma forma de caminho")
        for name in (declared.rule.action, *declared.rule.also):
            if not _ACTION.fullmatch(name):
                raise MalformedOperation(f"{where}: o nome de ação {name} não tem a forma recurso:verbo")
        keys.add(declared.key)
        shapes.add(shape)


def announced(service: Service, app: Litestar) -> list[AnnouncedOperation]:
    """What the access catalogue is told of this service."""
    return [
        AnnouncedOperation(
            operation=declared.key,
            service=service.name,
            method=method,
            path_pattern=service.prefix + path.rstrip("/"),
            action=declared.rule.action,
            guard=declared.rule.guard,
            floor=declared.rule.floor,
            description=declared.summary,
            also=declared.rule.also,
        )
        for method, path, declared in operations_of(service, app)
    ]


def _openapi(service: Service, server_urls: Sequence[str]) -> OpenAPIConfig:
    return OpenAPIConfig(
        title=service.title,
        version=service.version,
        license=License(name="MIT", identifier="MIT"),
        servers=[Server(url=url) for url in server_urls or (service.prefix + service.base,)],
        tags=[Tag(name=tag) for tag in service.tags] or None,
        components=Components(
            security_schemes={"bearer": SecurityScheme(type="http", scheme="bearer", bearer_format="JWT")}
        ),
    )
