"""Decides whether a person may apply for a job. Clients never decide this (rules: employability 4.4)."""

from collections.abc import Sequence
from uuid import UUID

import msgspec

from balcao.core.context.call import Call
from balcao.core.database.pool import Connection
from balcao.core.errors import Invalid, NotFound, Unavailable
from balcao.core.values.clock import utc_now
from balcao.core.values.cpf import Cpf
from balcao.employability.hiring.listings.schemas import Job
from balcao.employability.hiring.listings.store import find_published_job
from balcao.employability.reference_values import service as reference_values
from balcao.employability.reference_values.kinds import Kind
from balcao.employability.resume.overview.schemas import Resume
from balcao.employability.resume.overview.store import read_stored_resume
from balcao.employability.selection.eligibility.advice import advise_candidate
from balcao.employability.selection.eligibility.criteria import (
    Facts,
    RegistryUnknown,
    check_criteria,
    may_need_registry,
)
from balcao.employability.selection.eligibility.schemas import CheckedCriterion, Code, Criterion, Eligibility
from balcao.employability.selection.people import service as people
from balcao.employability.terms import service as terms
from balcao.employability.texts import fold_line

RETRY_AFTER_SECONDS = 5


class Ineligible(Invalid):
    """Raised if the person does not meet the criteria of a job. `failed` never contains the person's data."""

    def __init__(self, failed: Sequence[CheckedCriterion]) -> None:
        self.failed = [Criterion(each.criterio, each.exigido) for each in failed]
        text = f"A candidatura não atende a critérios da vaga. {advise_candidate(self.failed)}"
        members = {"criterios_nao_atendidos": msgspec.to_builtins(self.failed)}
        super().__init__(text, code="not-eligible", members=members)


async def read_eligibility(call: Call, cpf: Cpf, job_id: UUID) -> Eligibility:
    """Return all criteria of a published job, each with whether the person meets it. Nothing is stored.

    Raises NotFound if the job was never published or is deleted, and Unavailable if a criterion needs the registry's
    record and the record is not available.
    """
    async with call.platform.database.connection() as connection:
        job = await find_published_job(connection, job_id, utc_now())
    if job is None:
        raise NotFound("Não há vaga com este `id`.", code="job-unknown")
    lookup = await people.look_up_person(call, cpf) if may_need_registry(job) else None
    async with call.platform.database.connection() as connection:
        accepted = await terms.find_accepted_version(connection, cpf)
        resume, _ = await read_stored_resume(connection, cpf)
        found = [check_terms(call, accepted), *await check_candidate(connection, call, resume, job, lookup)]
    return Eligibility(all(each.atendido for each in found), found)


def check_terms(call: Call, accepted: str | None) -> CheckedCriterion:
    """Return the criterion about the terms of use. It is met if the person accepted the current version."""
    version = call.platform.settings.jobs_terms_version
    return CheckedCriterion(Code.TERMS, version, accepted == version)


async def check_candidate(
    connection: Connection, call: Call, resume: Resume, job: Job, lookup: people.PersonLookup | None
) -> list[CheckedCriterion]:
    """Return all criteria of the job except the terms, each with whether the person meets it.

    Raises Unavailable if a criterion needs the registry's record and the record is not available.
    """
    record = lookup.record if lookup is not None else None
    needs_levels = job.id_escolaridade_minima is not None and record is not None and record.escolaridade is not None
    facts = Facts(
        education=resume.formacoes,
        languages=resume.idiomas,
        record=record,
        levels=await _read_levels(connection) if needs_levels else {},
        today=utc_now().astimezone(call.zone).date(),
    )
    try:
        return check_criteria(job, facts)
    except RegistryUnknown:
        text = (
            "O cadastro da cidade, de que os critérios desta vaga precisam, não respondeu. Tente de novo em instantes."
        )
        raise Unavailable(text, code="registry-away", retry_after=RETRY_AFTER_SECONDS) from None


async def _read_levels(connection: Connection) -> dict[str, int]:
    levels = await reference_values.list_values_of_kind(connection, Kind.SCHOOLING)
    return {fold_line(level.descricao): level.ordem for level in levels if isinstance(level.ordem, int)}
