"""Anonymisation requests. The CRM stores and processes them, and reports their completion with an event."""

from datetime import datetime

from balcao.core.context.call import Call
from balcao.core.errors import Conflict, NotFound
from balcao.core.values.cpf import Cpf
from balcao.crm import requests
from balcao.crm.client import CrmClient
from balcao.crm.deadline import BUDGET_SECONDS, Deadline
from balcao.crm.failures import CrmAway
from balcao.crm.requests import AnonymisationRequest
from balcao.registry.crm import iso_time
from balcao.registry.crm.lease import service as lease
from balcao.registry.crm.proxies.schemas import AnonymisationStatus, FiledAnonymisation
from balcao.registry.crm.proxies.service import require_account

STATUSES = frozenset({requests.OPEN, "concluido", "falhou", "cancelado"})


class RequestOpen(Conflict):
    """Raised, instead of filing a new request, if the person already has an open one (`request`)."""

    def __init__(self, request: FiledAnonymisation) -> None:
        super().__init__("Já há uma solicitação de anonimização aberta.", code="request-open")
        self.request = request


async def file_anonymisation(call: Call, cpf: Cpf) -> FiledAnonymisation:
    """File a request. If several callers file one at the same time, the lease lets only one of them succeed.

    Raises RequestOpen if the person already has an open request, and NotFound if the person has no account. Raises
    CrmFailed if the CRM fails or rejects the call, and Unavailable if no CRM is configured.
    """
    crm, deadline = call.platform.part(CrmClient), Deadline.within(BUDGET_SECONDS)
    async with lease.hold_lease(call.platform, cpf, "anonymisation", deadline) as lease_state:
        accounts, waiting = await crm.select(deadline, crm.query_accounts(cpf), requests.query_open(cpf))
        account = require_account(crm.build_account(accounts, ()))
        if waiting:
            raise RequestOpen(_to_wire(requests.to_request(waiting[0]), cpf))
        if lease_state == "without":
            raise CrmAway  # another process is about to file a request
        filed = await requests.file_request(crm, cpf, account, deadline)
    async with call.platform.database.connection() as connection:
        await call.platform.audit.record(connection, call, "anonymise", subject=cpf, fields=["crm_account"])
    return _to_wire(filed, cpf)


async def read_anonymisation(call: Call, number: str) -> AnonymisationStatus:
    """Return the status of a request.

    Raises NotFound for an unknown number, and for another person's request unless the caller has `crm:read`.
    """
    found = await requests.find_request(call.platform.part(CrmClient), number, Deadline.within(BUDGET_SECONDS))
    reached = call.with_right_to(found.cpf, "crm:read") if found and found.cpf else None
    if found is None or found.cpf is None or reached is None:
        raise NotFound("Não há solicitação de anonimização com este número.", code="request-unknown")
    async with reached.reading(found.cpf, ["crm_anonymisation_request"]):
        return AnonymisationStatus(
            numero_solicitacao=found.number,
            status=found.status if found.status in STATUSES else requests.OPEN,
            data_solicitacao=_parse_time(found.filed),
            data_conclusao=_parse_time(found.completed) if found.completed else None,
        )


def _to_wire(request: AnonymisationRequest, cpf: Cpf) -> FiledAnonymisation:
    return FiledAnonymisation(request.number, cpf.digits, requests.OPEN, _parse_time(request.filed))


def _parse_time(text: str) -> datetime:
    """Parse a time from the CRM. Raises CrmAway if it is not valid, because then the response is unusable."""
    moment = iso_time.parse_iso_time(text)
    if moment is None:
        raise CrmAway
    return moment
