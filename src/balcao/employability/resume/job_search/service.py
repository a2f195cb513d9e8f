"""A person's situation and the kind of work that they are looking for (rules: employability 2.8, 3.6)."""

from collections.abc import Sequence
from uuid import UUID

from balcao.core.context.call import Call
from balcao.core.errors import Forbidden, Invalid, NotFound
from balcao.core.values.cpf import Cpf
from balcao.employability.reference_values import service as reference_values
from balcao.employability.reference_values.kinds import Kind
from balcao.employability.resume.job_search import store
from balcao.employability.resume.job_search.schemas import JobSearch, JobSearchBody
from balcao.employability.resume.profiles.store import touch_resume

FIELDS = ["situacao_interesses"]
MOST_CONTRACTS = 20


async def read_job_search(call: Call, cpf: Cpf) -> JobSearch:
    """Return a person's record. For other callers, the CPF is masked and the read is recorded.

    Raises NotFound if the person has no record.
    """
    async with call.reading(cpf, FIELDS) as source:
        found = await store.select_job_search(source, cpf)
    if found is None:
        raise NotFound("A pessoa ainda não informou situação e interesses.", code="job-search-unknown")
    if not call.is_owner:
        found.cpf = cpf.masked
    return found


async def save_job_search(call: Call, cpf: Cpf, body: JobSearchBody) -> JobSearch:
    """Replace the caller's own record and return it.

    Raises Invalid for an unknown reference value, and for repeated or too many contract types. Raises Forbidden for
    another person's CPF.
    """
    if body.cpf is not None and Cpf.parse_claim(body.cpf) != cpf:
        raise Forbidden("O campo `cpf` não é o de quem chama.", code="cpf-foreign")
    contracts = _check_contracts(body.ids_tipos_vinculo_preferencia or [])
    async with call.platform.database.transaction() as connection:
        await touch_resume(connection, cpf)
        for field, kind, ids in (
            ("id_situacao", Kind.CURRENT_SITUATION, {body.id_situacao}),
            ("id_disponibilidade", Kind.AVAILABILITY, {body.id_disponibilidade}),
            ("ids_tipos_vinculo_preferencia", Kind.CONTRACT_TYPE, set(contracts)),
        ):
            if not await reference_values.are_known_values(connection, kind, [id_ for id_ in ids if id_ is not None]):
                raise Invalid(f"O campo `{field}` tem um valor que não existe.", code="reference-not-found")
        await store.replace_job_search(connection, cpf, body, contracts)
        saved = await store.select_job_search(connection, cpf)
        await call.platform.audit.record(connection, call, "update", subject=cpf, fields=FIELDS)
    assert saved is not None  # written above, under the lock of the resume
    return saved


def _check_contracts(ids: Sequence[UUID]) -> Sequence[UUID]:
    if len(ids) > MOST_CONTRACTS or len(set(ids)) < len(ids):
        text = f"O campo `ids_tipos_vinculo_preferencia` deve ter no máximo {MOST_CONTRACTS} itens, sem repetição."
        raise Invalid(text, code="contract-list")
    return ids
