"""The registry records of people who apply, read over HTTP and stored as copies (rules: employability 3.4, 4.4)."""

from collections.abc import Collection, Mapping
from datetime import timedelta
from typing import NamedTuple
from uuid import UUID

from balcao.core.context.call import Call
from balcao.core.database.pool import Connection
from balcao.core.errors import Unavailable
from balcao.core.jobs.worker import encode_payload, is_stopping
from balcao.core.values.cpf import Cpf
from balcao.employability.registry_people import PersonRecord, ask_registry
from balcao.employability.selection.people import store

FRESH = timedelta(hours=24)
BATCH = 500
REFRESH_ONE = "employability.refresh_candidate"


class PersonLookup(NamedTuple):
    """A person's record. `is_current` is true if the registry returned the record in this call."""

    record: PersonRecord
    is_current: bool


async def look_up_person(call: Call, cpf: Cpf) -> PersonLookup | None:
    """Return the registry's record. If the registry is down, return a copy of the last 24 hours, or else None.

    The record is empty if the person is not in the registry. Call this outside any transaction, because it can take two
    seconds.
    """
    try:
        return PersonLookup(await ask_registry(call, cpf), is_current=True)
    except Unavailable:
        async with call.platform.database.connection() as connection:
            copy = (await store.read_copies(connection, [cpf], FRESH)).get(cpf)
    return None if copy is None else PersonLookup(copy, is_current=False)


async def read_person_copies(connection: Connection, people: Collection[Cpf]) -> Mapping[Cpf, PersonRecord]:
    """Return these people's copies, whatever their age, because lists never wait for the registry."""
    return await store.read_copies(connection, people, store.ANY_AGE)


def describe_refresh(application: UUID, lookup: PersonLookup | None) -> bytes | None:
    """Return the payload of the background job that refreshes a candidate's copy.

    Return None if the record was just read from the registry.
    """
    return None if lookup is not None and lookup.is_current else encode_payload({"candidate_of": str(application)})


async def save_person_copy(connection: Connection, cpf: Cpf, lookup: PersonLookup | None) -> None:
    """Store the copy if the record was just read from the registry. If this fails, the nightly job reads it again."""
    if lookup is not None and lookup.is_current:
        await store.upsert_copy(connection, cpf, lookup.record)


async def refresh_candidate(call: Call, application: UUID) -> None:
    """Refresh the copy of a candidate unless the application was withdrawn or erased.

    Raises Unavailable if the registry is down.
    """
    async with call.platform.database.connection() as connection:
        cpf = await store.find_candidate(connection, application)
    if cpf is not None:
        await _refresh(call, cpf)


async def _refresh(call: Call, cpf: Cpf) -> None:
    record = await ask_registry(call, cpf)
    async with call.platform.database.connection() as connection:
        await store.upsert_copy(connection, cpf, record)


async def refresh_stale_people(call: Call) -> None:
    """Refresh the copies that are missing or at least a day old. Raises Unavailable if the registry is down.

    Only people with an application for a published or frozen job are included.
    """
    after = ""
    while not is_stopping():
        async with call.platform.database.connection() as connection:
            people = await store.list_stale_people(connection, after, FRESH, BATCH)
        for cpf in people:
            await _refresh(call, cpf)
        if len(people) < BATCH:
            return
        after = people[-1].digits
