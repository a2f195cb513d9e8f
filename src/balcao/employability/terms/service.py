"""The terms of use of the job listings. Only the current version counts (rules: employability 2.9)."""

from datetime import timedelta

from balcao.core.context.call import Call
from balcao.core.database.pool import Source
from balcao.core.errors import NotFound
from balcao.core.values.cpf import Cpf
from balcao.employability.resume.bank import service as bank
from balcao.employability.schemas import Message
from balcao.employability.terms import store
from balcao.employability.terms.schemas import TermsAcceptance, TermsStatus

FIELDS = ["termos_uso"]


async def read_terms_status(call: Call, cpf: Cpf) -> TermsStatus:
    """Return whether the person accepted the current version of the terms."""
    async with call.reading(cpf, FIELDS) as source:
        return TermsStatus(await find_accepted_version(source, cpf) == call.platform.settings.jobs_terms_version)


async def find_accepted_version(source: Source, cpf: Cpf) -> str | None:
    """Return the version of the terms that the person accepted, or None."""
    found = await store.select_acceptance(source, cpf)
    return None if found is None else found.version


async def accept_terms(call: Call, cpf: Cpf, *, names_after: timedelta | None = None) -> Message:
    """Accept the current version of the terms. A repeated acceptance keeps the time of the first one.

    After a new acceptance, a background job reads the person's names from the registry, immediately or after
    `names_after`.
    """
    async with call.platform.database.transaction() as connection:
        acceptance = await store.upsert_acceptance(connection, cpf, call.platform.settings.jobs_terms_version)
        if acceptance is not None:
            await bank.enqueue_names(connection, acceptance, after=names_after)
            await call.platform.audit.record(connection, call, "create", subject=cpf, fields=FIELDS)
    return Message("Termos de uso aceitos.")


async def revoke_terms(call: Call, cpf: Cpf) -> Message:
    """Revoke the person's acceptance of any version. Raises NotFound if the person has accepted no version."""
    async with call.platform.database.transaction() as connection:
        if not await store.delete_acceptance(connection, cpf):
            raise _not_accepted()
        await call.platform.audit.record(connection, call, "delete", subject=cpf, fields=FIELDS)
    return Message("Aceitação dos termos de uso retirada.")


async def read_acceptance(call: Call, cpf: Cpf) -> TermsAcceptance:
    """Return the person's acceptance, possibly of an earlier version.

    Raises NotFound if the person has accepted no version.
    """
    async with call.reading(cpf, FIELDS) as source:
        found = await store.select_acceptance(source, cpf)
    if found is None:
        raise _not_accepted()
    return TermsAcceptance(
        cpf.digits if call.is_owner else cpf.masked,
        found.version == call.platform.settings.jobs_terms_version,
        found.aceito_em,
        found.created_at,
        found.updated_at,
    )


def _not_accepted() -> NotFound:
    return NotFound("A pessoa ainda não aceitou os termos de uso.", code="terms-not-accepted")
