"""The sandbox CRM as an application and as a server on the loopback address."""

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx
import uvicorn
from litestar import Litestar, Request, Response
from litestar.datastructures import State
from litestar.di import Provide
from litestar.exceptions import HTTPException

from balcao.crm.sandbox import api, control, demo, mailbox
from balcao.crm.sandbox.connections import ClosableProtocol
from balcao.crm.sandbox.records import Records
from balcao.crm.sandbox.refusals import Refused, not_found
from balcao.crm.sandbox.state import ANONYMISATION_SECONDS, Sandbox
from balcao.crm.sandbox.webhooks import Webhooks
from balcao.settings import Settings, SettingsError

LOOPBACK = "127.0.0.1"
STATE_FILE = "sandbox-crm.jsonl"


def application(settings: Settings, anonymisation_seconds: float = ANONYMISATION_SECONDS) -> Litestar:
    """Raises SettingsError in the production profile."""
    if not settings.sandbox:
        raise SettingsError("O CRM de demonstração não funciona com BALCAO_PROFILE=production.")

    @asynccontextmanager
    async def running(app: Litestar) -> AsyncIterator[None]:
        async with httpx.AsyncClient() as http:
            records = Records(settings.data_dir / STATE_FILE, demo.accounts)
            sandbox = Sandbox(records, Webhooks(settings, http), anonymisation_seconds)
            app.state.sandbox = sandbox
            sandbox.complete_anonymisations()
            echoes = asyncio.create_task(sandbox.webhooks.send_echoes())
            yield
            echoes.cancel()
            sandbox.stop()

    secret = settings.crm_client_secret.get_secret_value()
    codes = mailbox.Mailbox(settings.phone_code_secret.get_secret_value())
    return Litestar(
        [*api.ROUTES, *control.ROUTES, *mailbox.ROUTES],
        lifespan=[running],
        dependencies={"sandbox": Provide(_sandbox, sync_to_thread=False)},
        exception_handlers={HTTPException: _refuse},
        state=State({"client": (settings.crm_client_id, secret), "milliseconds": _milliseconds, "mailbox": codes}),
        openapi_config=None,
        logging_config=None,
    )


def server(settings: Settings, anonymisation_seconds: float = ANONYMISATION_SECONDS) -> uvicorn.Server:
    """Not yet running; on the loopback address only, whatever BALCAO_HOST says."""
    config = uvicorn.Config(
        application(settings, anonymisation_seconds),
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


async def serve(settings: Settings) -> None:
    """Until it is told to stop."""
    await server(settings).serve()


def _sandbox(state: State) -> Sandbox:
    sandbox: Sandbox = state.sandbox
    return sandbox


def _refuse(_: Request[Any, Any, Any], fault: HTTPException) -> Response[Any]:
    refused = not_found() if fault.status_code == 404 else Refused(fault.status_code, "BAD_REQUEST", "")
    return Response(refused.body, status_code=refused.status)


def _milliseconds() -> str:
    return str(int(time.time() * 1_000))
