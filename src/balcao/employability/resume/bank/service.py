"""The resume bank: resumes of people who accepted the terms, which staff can search (rules: employability 2.11)."""

from datetime import timedelta
from uuid import UUID

from balcao.core.context.call import Call
from balcao.core.database.pool import Connection
from balcao.core.errors import NotFound
from balcao.core.jobs.worker import enqueue
from balcao.core.values.clock import utc_now
from balcao.core.values.cpf import Cpf
from balcao.core.values.page import Page
from balcao.employability.lists import ListMeta
from balcao.employability.registry_people import ask_registry
from balcao.employability.resume.bank import store
from balcao.employability.resume.bank.schemas import BankEntries, BankEntry, BankResume
from balcao.employability.resume.overview import service as overview

LISTED = ["banco_curriculos"]
FIELDS = ["banco_curriculos", "curriculo"]
READ_NAMES = "employability.read_bank_names"
# After about this time, a changed name appears in the bank. It appears earlier if staff open the person's entry.
FRESH = timedelta(days=7)
MOST_PER_RUN = 20_000


async def list_people(call: Call, page: Page, search: str | None) -> BankEntries:
    """Return a page of the bank, newest first. With `search`, return only people whose names contain it.

    The audit trail records the read of each person.
    """
    call.require_reason()
    async with call.platform.database.transaction() as connection:
        if search is None:
            people, total = await store.list_bank_people(connection, _version(call), page)
        else:
            people, total = await store.search_bank_people(connection, _version(call), search, page)
        await call.platform.audit.record_each(
            connection, call, "read", [person.cpf for person in people], fields=LISTED
        )
    return BankEntries([_show(person) for person in people], ListMeta.of(page, total))


async def read_person(call: Call, key: UUID | Cpf) -> BankResume:
    """Return a person of the bank, with their resume and current registry data. The audit trail records the read.

    Raises NotFound if the bank does not contain the person. Raises Unavailable if the registry is down, because null
    members would mean that the registry has no values.
    """
    async with call.platform.database.connection() as connection:
        if isinstance(key, Cpf):
            entry = await store.find_bank_person(connection, _version(call), key)
        else:
            entry = await store.read_bank_person(connection, _version(call), key)
    if entry is None:
        raise NotFound("Não há currículo desta pessoa no banco.", code="bank-entry-unknown")
    resume = await overview.read_resume(call, entry.cpf)
    person = await ask_registry(call, entry.cpf)
    async with call.platform.database.connection() as connection:
        await store.upsert_bank_names(connection, entry.cpf, person.nome, person.nome_social)
    return BankResume(
        entry.id,
        entry.cpf.masked,
        person.nome,
        person.nome_social,
        entry.data_inclusao,
        entry.profissao,
        entry.escolaridade,
        (person.endereco and person.endereco.bairro) or None,
        person.celular,
        person.genero,
        person.count_years(utc_now().astimezone(call.zone).date()),
        resume,
    )


async def enqueue_names(connection: Connection, acceptance: UUID, *, after: timedelta | None = None) -> None:
    """Enqueue the job that reads a person's names from the registry, immediately or after a delay."""
    await enqueue(connection, READ_NAMES, {"acceptance": str(acceptance)}, delay=after)


async def read_names(call: Call, acceptance: UUID) -> None:
    """Read a person's names from the registry and store them, unless the acceptance was revoked.

    Raises Unavailable if the registry is down.
    """
    async with call.platform.database.connection() as connection:
        cpf = await store.find_accepting_person(connection, acceptance)
    if cpf is None:
        return
    person = await ask_registry(call, cpf)
    async with call.platform.database.connection() as connection:
        await store.upsert_bank_names(connection, cpf, person.nome, person.nome_social)


async def refresh_names(call: Call) -> None:
    """Enqueue reads of names that were never read, then of names older than FRESH, up to MOST_PER_RUN in total."""
    async with call.platform.database.transaction() as connection:
        for acceptance in await store.list_stale_acceptances(connection, FRESH, MOST_PER_RUN):
            await enqueue_names(connection, acceptance)


def _version(call: Call) -> str:
    return call.platform.settings.jobs_terms_version


def _show(person: store.BankPerson) -> BankEntry:
    return BankEntry(
        person.id,
        person.cpf.masked,
        person.nome,
        person.nome_social,
        person.profissao,
        person.escolaridade,
        person.data_inclusao,
    )
