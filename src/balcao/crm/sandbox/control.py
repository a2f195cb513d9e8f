"""The sandbox's own switches: faults, journal, state, and events for the registry."""

from typing import Any

import msgspec
from litestar import Request, Response, delete, get, post, put
from litestar.di import NamedDependency
from litestar.handlers import HTTPRouteHandler

from balcao.crm.sandbox.faults import Fault
from balcao.crm.sandbox.objects import ACCOUNT, CONSENT
from balcao.crm.sandbox.state import Sandbox
from balcao.crm.sandbox.webhooks import Batch

Call = Request[Any, Any, Any]
Current = NamedDependency[Sandbox]


@get("/_sandbox/faults")
async def list_faults(sandbox: Current) -> list[dict[str, Any]]:
    return sandbox.faults.listed()


@put("/_sandbox/faults")
async def replace_faults(request: Call, sandbox: Current) -> Response[Any]:
    try:
        sandbox.faults.replace(msgspec.json.decode(await request.body(), type=list[Fault]))
    except msgspec.MsgspecError as fault:
        return Response({"error": str(fault)}, status_code=400)
    return Response(sandbox.faults.listed())


@delete("/_sandbox/faults")
async def remove_faults(sandbox: Current) -> None:
    sandbox.faults.replace([])


@get("/_sandbox/requests")
async def list_requests(request: Call, sandbox: Current) -> list[dict[str, Any]]:
    return [msgspec.to_builtins(entry) for entry in sandbox.journal.listed(request.query_params.get("cpf"))]


@delete("/_sandbox/requests")
async def clear_requests(sandbox: Current) -> None:
    sandbox.journal.clear()


@get("/_sandbox/accounts")
async def list_accounts(request: Call, sandbox: Current) -> list[dict[str, Any]]:
    """With their consents."""
    cpf = request.query_params.get("cpf")
    return [
        account | {"consents": sandbox.records.having(CONSENT, "Conta__c", account["Id"])}
        for account in sandbox.records.all(ACCOUNT)
        if cpf in (None, account["CPF__c"])
    ]


@post("/_sandbox/reset", status_code=204)
async def reset(sandbox: Current) -> None:
    sandbox.reset()


@post("/_sandbox/events")
async def send_events(request: Call, sandbox: Current) -> Response[Any]:
    try:
        batch = msgspec.json.decode(await request.body(), type=Batch)
    except msgspec.MsgspecError as fault:
        return Response({"error": str(fault)}, status_code=400)
    return Response({"statuses": await sandbox.webhooks.send_batch(batch)}, status_code=200)


ROUTES: list[HTTPRouteHandler] = [
    list_faults,
    replace_faults,
    remove_faults,
    list_requests,
    clear_requests,
    list_accounts,
    reset,
    send_events,
]
