"""Routes for controlling the sandbox: faults, the journal, the state, events for the registry, and sent codes."""

import functools
from collections.abc import Callable
from typing import Any

import msgspec

from balcao.core.http.requests import Request
from balcao.core.http.responses import NO_CONTENT, Response, to_json
from balcao_sandbox.crm.faults import Fault
from balcao_sandbox.crm.mailbox import SentCode
from balcao_sandbox.crm.objects import ACCOUNT, CASE, CASE_STEP, CONSENT
from balcao_sandbox.crm.refusals import Refused, make_not_found
from balcao_sandbox.crm.routes import Route, SandboxCrm
from balcao_sandbox.crm.webhooks import Batch

# Only these host names are accepted. Another site's host name may resolve to this machine, but browsers send that name
# in the `Host` header, so such calls are refused.
_OWN_HOSTS = frozenset({"127.0.0.1", "localhost", "[::1]"})


def guard(handler: Callable[..., Any]) -> Callable[..., Any]:
    """Wrap a handler so that it accepts calls only from programs on this machine and from pages of this CRM."""

    @functools.wraps(handler)
    def respond(request: Request, crm: SandboxCrm, *values: str) -> Any:
        if not _is_from_here(request):
            return to_json(
                {"error": "Este endereço só atende programas desta máquina e páginas deste CRM."}, status=403
            )
        return handler(request, crm, *values)

    return respond


def _is_from_here(request: Request) -> bool:
    host, origin = request.headers.text(b"host") or "", request.headers.text(b"origin")
    name = host.rpartition(":")[0] if host.rpartition(":")[2].isdigit() else host
    return name.lower() in _OWN_HOSTS and origin in {None, f"http://{host}"}


def list_faults(_: Request, crm: SandboxCrm) -> Response[Any]:
    return to_json(crm.sandbox.faults.list_faults())


def replace_faults(request: Request, crm: SandboxCrm) -> Response[Any]:
    try:
        crm.sandbox.faults.replace(msgspec.json.decode(request.content or b"", type=list[Fault]))
    except msgspec.MsgspecError as fault:
        return to_json({"error": str(fault)}, status=400)
    return to_json(crm.sandbox.faults.list_faults())


def remove_faults(_: Request, crm: SandboxCrm) -> Response[Any]:
    crm.sandbox.faults.replace([])
    return Response(status=NO_CONTENT)


def list_requests(request: Request, crm: SandboxCrm) -> Response[Any]:
    return to_json(crm.sandbox.journal.list_entries(request.query().get("cpf")))


def clear_requests(_: Request, crm: SandboxCrm) -> Response[Any]:
    crm.sandbox.journal.clear()
    return Response(status=NO_CONTENT)


def list_accounts(request: Request, crm: SandboxCrm) -> Response[Any]:
    """Return all accounts, or those with the CPF in the query. Each account contains its consents."""
    cpf, records = request.query().get("cpf"), crm.sandbox.records
    accounts = [
        account | {"consents": records.find(CONSENT, "Conta__c", account["Id"])}
        for account in records.all(ACCOUNT)
        if cpf in (None, account["CPF__c"])
    ]
    return to_json(accounts)


class CaseMove(msgspec.Struct, forbid_unknown_fields=True):
    """A change to a case by the CRM's own staff. `message` is shown to the citizen."""

    number: str
    status: str
    message: str | None = None


def list_cases(request: Request, crm: SandboxCrm) -> Response[Any]:
    """Return the cases that the platform opened, or only the case with the number in the query.

    Each case contains its steps.
    """
    number, records = request.query().get("number"), crm.sandbox.records
    cases = [
        case | {"steps": records.find(CASE_STEP, "NumeroPedido__c", case["NumeroPedido__c"])}
        for case in records.find(CASE, "PedidoBalcao__c", True)
        if number in (None, case["NumeroPedido__c"])
    ]
    return to_json(cases)


def move_case(request: Request, crm: SandboxCrm) -> Response[Any]:
    """Set the status of a case, as the CRM's own staff would."""
    try:
        move = msgspec.json.decode(request.content or b"", type=CaseMove)
        found = crm.sandbox.records.find(CASE, "NumeroPedido__c", move.number)
        if not found:
            raise make_not_found()
        crm.sandbox.cases.move(found[0], move.status, move.message)
    except msgspec.MsgspecError as fault:
        return to_json({"error": str(fault)}, status=400)
    except Refused as refused:
        return to_json(refused.body, status=refused.status)
    return Response(status=NO_CONTENT)


def reset(_: Request, crm: SandboxCrm) -> Response[Any]:
    crm.sandbox.reset()
    return Response(status=NO_CONTENT)


async def send_events(request: Request, crm: SandboxCrm) -> Response[Any]:
    try:
        batch = msgspec.json.decode(request.content or b"", type=Batch)
    except msgspec.MsgspecError as fault:
        return to_json({"error": str(fault)}, status=400)
    return to_json({"statuses": await crm.sandbox.webhooks.send_batch(batch)})


def receive_code(request: Request, crm: SandboxCrm) -> Response[Any]:
    if not crm.mailbox.admits(request.headers.text(b"authorization")):
        return to_json({"error": "unauthorized"}, status=401)
    try:
        crm.mailbox.add(msgspec.json.decode(request.content or b"", type=SentCode))
    except msgspec.MsgspecError as fault:
        return to_json({"error": str(fault)}, status=400)
    return Response(status=NO_CONTENT)


def list_codes(request: Request, crm: SandboxCrm) -> Response[Any]:
    """Return all codes, or only those sent to one number (`?to=+5521999999999`).

    A query string can contain a `+` to represent a space, so the number may start with a space instead.
    """
    to = request.query().get("to")
    return to_json(crm.mailbox.list_messages(None if to is None else f"+{to.strip().removeprefix('+')}"))


ROUTES: list[Route] = [
    ("GET", "/_sandbox/faults", list_faults),
    ("PUT", "/_sandbox/faults", replace_faults),
    ("DELETE", "/_sandbox/faults", remove_faults),
    ("GET", "/_sandbox/requests", list_requests),
    ("DELETE", "/_sandbox/requests", clear_requests),
    ("GET", "/_sandbox/accounts", list_accounts),
    ("GET", "/_sandbox/cases", list_cases),
    ("POST", "/_sandbox/cases", move_case),
    ("POST", "/_sandbox/reset", reset),
    ("POST", "/_sandbox/events", send_events),
    ("POST", "/_sandbox/codes", receive_code),
    ("GET", "/_sandbox/codes", list_codes),
]
