"""Reads the catalogue's audit trail and verifies its chain (rules: access 3.4)."""

from balcao.access.audit import store
from balcao.access.audit.schemas import AuditEvents, AuditQuery, Verdict, VerifyQuery
from balcao.core.context.call import Call
from balcao.core.values.cpf import Cpf


async def list_catalogue_events(call: Call, query: AuditQuery) -> AuditEvents:
    """Return a page of events, newest first.

    Events contain only masked CPFs, so a person is found by the hash of their CPF.
    """
    wanted = store.EventFilters(
        query.operation,
        query.target_type,
        query.target_id,
        query.target_name,
        _hash(call, query.actor),
        _hash(call, query.subject),
        query.outcome,
        query.since,
        query.until,
        query.from_version,
        query.to_version,
    )
    async with call.platform.database.connection() as connection:
        items, total = await store.select_catalogue_events(connection, wanted, query.limit, query.skip)
    return AuditEvents(items, total, query.skip, query.limit, has_more=query.skip + len(items) < total)


def _hash(call: Call, digits: str | None) -> list[str] | None:
    return [hashed.hex() for hashed in call.platform.audit.list_hashes(Cpf(digits))] if digits else None


async def verify_trail(call: Call, query: VerifyQuery) -> Verdict:
    """Check whether a part of the chain is intact."""
    async with call.platform.database.connection() as connection:
        return await store.verify_chain(connection, query.from_seq, query.to_seq)
