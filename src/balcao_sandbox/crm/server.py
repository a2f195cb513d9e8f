"""The sandbox CRM as an application and as a server on the loopback address."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import uvicorn

from balcao.core.errors import BalcaoError
from balcao.core.http.dialects import Dialect
from balcao.core.http.endpoint import PageEndpoint
from balcao.core.http.requests import Request
from balcao.core.http.responses import Response
from balcao.core.tracing import make_http_client
from balcao.gateway.application import Application
from balcao.gateway.asgi import AsgiApplication
from balcao.gateway.gateway import Gateway, Mount
from balcao.settings import Settings, SettingsError
from balcao_sandbox.crm import api, control, controls, demo
from balcao_sandbox.crm.cases import CASE_SECONDS, Cases
from balcao_sandbox.crm.connections import ClosableProtocol, remember_client
from balcao_sandbox.crm.mailbox import Mailbox
from balcao_sandbox.crm.records import Records
from balcao_sandbox.crm.refusals import Refused, make_not_found
from balcao_sandbox.crm.routes import SandboxCrm
from balcao_sandbox.crm.state import ANONYMISATION_SECONDS, Sandbox
from balcao_sandbox.crm.webhooks import Webhooks

LOOPBACK = "127.0.0.1"
STATE_FILE = "sandbox-crm.jsonl"


def build_application(
    settings: Settings,
    anonymisation_seconds: float = ANONYMISATION_SECONDS,
    case_seconds: float | None = CASE_SECONDS,
) -> AsgiApplication:
    """Build the CRM application. Raises SettingsError in the production profile."""
    if not settings.sandbox:
        raise SettingsError("O CRM de demonstração não funciona com BALCAO_PROFILE=production.")
    http = make_http_client("")
    records = Records(settings.data_dir / STATE_FILE, demo.accounts)
    sandbox = Sandbox(records, Webhooks(settings, http), anonymisation_seconds, Cases(records, case_seconds))

    @asynccontextmanager
    async def running() -> AsyncIterator[None]:
        async with http:
            sandbox.complete_anonymisations()
            sandbox.cases.resume()
            echoes = asyncio.create_task(sandbox.webhooks.send_echoes())
            yield
            echoes.cancel()
            sandbox.stop()

    client = (settings.crm_client_id, settings.crm_client_secret.get_secret_value())
    crm = SandboxCrm(sandbox, Mailbox(settings.phone_code_secret.get_secret_value()), client)
    guarded = [*control.ROUTES, *controls.ROUTES]
    routes = [*api.ROUTES, *((method, path, control.guard(handler)) for method, path, handler in guarded)]
    endpoints = [(method, path, _endpoint(crm, method, handler)) for method, path, handler in routes]
    return AsgiApplication(
        Application(Gateway([], Mount("crm", "", endpoints, lambda _: SALESFORCE_DIALECT, lenient=True), running))
    )


def _endpoint(crm: SandboxCrm, method: str, handler: Callable[..., Any]) -> PageEndpoint:
    def respond(request: Request) -> Any:
        return handler(request, crm, *request.path_values)

    return PageEndpoint("crm", handler.__name__, method, respond, _refuse)


def _refuse(_: Request, fault: BalcaoError) -> Response[Any]:
    return SALESFORCE_DIALECT.response(fault)


def _to_body(fault: BalcaoError) -> Any:
    refused = make_not_found() if fault.status == 404 else Refused(fault.status, "BAD_REQUEST", "")
    return refused.body


SALESFORCE_DIALECT = Dialect(_to_body, list)


def build_server(
    settings: Settings,
    anonymisation_seconds: float = ANONYMISATION_SECONDS,
    case_seconds: float | None = CASE_SECONDS,
) -> uvicorn.Server:
    """Build a server without starting it. It listens only on the loopback address, regardless of BALCAO_HOST."""
    config = uvicorn.Config(
        remember_client(build_application(settings, anonymisation_seconds, case_seconds)),
        host=LOOPBACK,
        port=settings.crm_port,
        http=ClosableProtocol,
        ws="none",
        log_config=None,
        log_level="warning",
        access_log=False,
        timeout_graceful_shutdown=1,
    )
    return uvicorn.Server(config)


async def serve_crm(settings: Settings) -> None:
    """Serve the CRM until the process is stopped."""
    await build_server(settings).serve()
