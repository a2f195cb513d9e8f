"""Parse and store CRM events. A job then applies each event to the mirror exactly once."""

from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Any, NamedTuple

import msgspec

from balcao.core.audit.personal_data import DeclaredPersonalData
from balcao.core.context.audit import Action as AuditAction
from balcao.core.context.audit import guard_audit_write
from balcao.core.context.call import Call, worker_call
from balcao.core.context.platform import Platform
from balcao.core.database.pool import Connection
from balcao.core.errors import Invalid, Unavailable
from balcao.core.logs import log
from balcao.core.offloading import run_in_thread
from balcao.core.telemetry import counter
from balcao.core.values.clock import utc_now
from balcao.core.values.page import Page
from balcao.registry.crm.events import event_parser, store
from balcao.registry.crm.events.backlog import Backlog
from balcao.registry.crm.events.schemas import Acknowledgement, CrmEventPage
from balcao.registry.crm.events.store import EventFilters
from balcao.registry.mirror import service as mirror
from balcao.registry.mirror.service import Result
from balcao.registry.mirror.writes import parse_delta

FUTURE = timedelta(minutes=5)
_future_events = counter("balcao_crm_event_future", "Events of the CRM dated more than five minutes ahead")


class IngestResult(NamedTuple):
    """The number of new events, and the number of events that the parser rejected.

    Events that were already stored count as neither.
    """

    new: int
    refused: int


def require_events_configured(platform: Platform) -> None:
    """Raise Unavailable if the CRM integration is not configured.

    The route runs this check before it authorises the caller (rules: registry 4.1 row 2).
    """
    if not platform.client_lists["CRM_WEBHOOK_CLIENTS"] or not platform.settings.crm_configured:
        raise Unavailable("A integração com o CRM não está configurada.", code="crm-not-configured")


async def accept_event(call: Call, body: bytes) -> Acknowledgement:
    """Store an event with its job and audit event, and acknowledge it after the commit (spec: webhook rule 5).

    Raises Unavailable while too many events wait, and Invalid for a malformed body.
    """
    backlog = call.platform.part(Backlog)
    await backlog.refuse_when_full(call.platform)
    event = await run_in_thread(event_parser.parse_event, body, size=len(body))
    trail = call.platform.audit.encode_event(call, "event", subject=event.cpf, fields=sorted(event.dados or ()))
    accepted = store.AcceptedEvent(event, call.client, call.request_id, trail)
    with guard_audit_write():
        is_new = await call.platform.database.write_grouped(store.accept_events, accepted)
        if not is_new:
            await call.platform.database.write_grouped(store.note_repeats, accepted)
    # Apply an event with a time in the future like any other. An operator can later reset the times of the fields that
    # it wrote (rules: registry 4.1).
    if is_new and event.at is not None and event.at > utc_now() + FUTURE:
        _future_events.inc()
    if is_new:
        backlog.add()
    return Acknowledgement(event.cpf.masked, event.evento, "Evento recebido e enfileirado.", "accepted")


async def ingest_events(call: Call, connection: Connection, bodies: Sequence[Mapping[str, Any]]) -> IngestResult:
    """Store events that the platform has derived from CRM data, as if the CRM had sent them, in this transaction.

    These events have the format of the webhook and pass the same checks. Rejected events are counted and logged.
    """
    rows: list[store.AcceptedEvent] = []
    for body in bodies:
        try:
            event = event_parser.parse_event(msgspec.json.encode(body))
        except Invalid as fault:
            log.warning("crm_event.not_fed", code=fault.code)
            continue
        trail = call.platform.audit.encode_event(call, "event", subject=event.cpf, fields=sorted(event.dados or ()))
        rows.append(store.AcceptedEvent(event, call.client, call.request_id, trail))
    with guard_audit_write():
        new = await store.accept_events(connection, rows) if rows else []
    return IngestResult(sum(new), len(bodies) - len(rows))


async def apply_crm_event(platform: Platform, event_id: str) -> None:
    """Apply an event in one transaction: merge, erase the payload, write the result and the audit event.

    A job may run twice, so an event that was already applied is skipped. Lock order: the event before the mirror. Every
    other write of the person's data locks the mirror first, but none of them waits for an event, so there is no
    deadlock.
    """
    async with platform.database.transaction() as connection:
        event = await store.take_event(connection, event_id)
        if event is None:
            return
        if event.evento == "anonimizacao":
            result = await mirror.anonymise_mirror(connection, event.cpf, event.at)
            await platform.part(DeclaredPersonalData).erase(connection, event.cpf, event.at, by_event=True)
        elif event.dados is None:
            result = Result.ANONYMISED
        else:
            result = await mirror.apply_delta(connection, event.cpf, parse_delta(event.dados), event.at)
        await store.finish_event(connection, event_id, result)
        call = worker_call(platform, "registry.apply_crm_event", event.request_id)
        action: AuditAction = "anonymise" if event.evento == "anonimizacao" else "update"
        fields = sorted(event.dados or ())
        await platform.audit.record(connection, call, action, subject=event.cpf, fields=fields, outcome=result)


async def list_crm_events(call: Call, filters: EventFilters, page: Page) -> CrmEventPage:
    """Return a page of events without `dados`, newest first.

    The read is audited. If the filters name a person, it is audited as a read of that person's data.
    """
    async with call.platform.database.transaction() as connection:
        total = await store.count_matching_events(connection, filters)
        events = await store.list_matching_events(connection, filters, page)
        await call.platform.audit.record(connection, call, "read", subject=filters.cpf, fields=["crm_events"])
    return CrmEventPage(events, page.of(total))
