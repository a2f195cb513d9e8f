"""Builds applications for tests: one with a single service without its prefix, or one with a few test handlers."""

from collections.abc import Callable, Mapping
from contextlib import nullcontext
from typing import Any

from balcao import app
from balcao.core.context.platform import Platform
from balcao.core.errors import BalcaoError
from balcao.core.http.dialects import ERROR_TEXT
from balcao.core.http.endpoint import PageEndpoint, Responding
from balcao.core.http.requests import Request
from balcao.core.http.responses import Response
from balcao.core.service import Service
from balcao.gateway.application import NO_ORIGIN, Application
from balcao.gateway.cors import Cors
from balcao.gateway.gateway import Gateway, Mount


def service_alone(service: Service, platform: Platform) -> Application:
    """Return an application that serves only one service of an open platform."""
    mount = app.mount_service(service, platform)
    return Application(Gateway([mount], no_pages(), nullcontext, unprefixed=mount))


def handlers(
    by_route: Mapping[tuple[str, str], Callable[[Request], Responding]], cors: Cors = NO_ORIGIN
) -> Application:
    """Return an application with these handlers, by method and path."""

    def refuse(_: Request, fault: BalcaoError) -> Response[Any]:
        return ERROR_TEXT.response(fault)

    endpoints = [
        (method, path, PageEndpoint("test", "", method, handler, refuse))
        for (method, path), handler in by_route.items()
    ]
    return Application(Gateway([], Mount("test", "", endpoints, lambda _: ERROR_TEXT), nullcontext), cors)


def no_pages() -> Mount:
    """Return an empty mount, for a gateway without pages."""
    return Mount("test", "", [], lambda _: ERROR_TEXT)
