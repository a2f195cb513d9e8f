"""Experiences of a resume: for whoever may not see one it does not exist."""

from uuid import UUID

import msgspec

from balcao.core.context.call import Call
from balcao.core.errors import Conflict, NotFound
from balcao.core.values.cpf import Cpf
from balcao.core.values.ids import new_id
from balcao.employability.resume.experiences import store
from balcao.employability.resume.experiences.schemas import Experience, ExperienceBody
from balcao.employability.resume.profiles import service as profiles
from balcao.employability.texts import clean_line, clean_prose

READ_ANY = "resume:read_any"
FIELDS = ["experiencias"]
MAX_EXPERIENCES = 50


async def read_experience(call: Call, id_: UUID) -> Experience:
    """Return an experience; anybody but the owner sees the CPF masked and leaves an audit event.

    Raises NotFound alike for an unknown id and for a record out of the caller's reach, Invalid for staff who do not say
    why, where they must.
    """
    async with call.platform.database.connection() as connection:
        experience = await store.read(connection, id_)
    if experience is None or (reached := call.with_right_to(Cpf(experience.cpf), READ_ANY)) is None:
        raise NotFound("Não há experiência com este `id`.", code="experience-unknown")
    if not reached.is_owner:
        reached.require_reason()
        owner = Cpf(experience.cpf)
        async with call.platform.database.transaction() as connection:
            await call.platform.audit.record(connection, reached, "read", subject=owner, fields=FIELDS)
        experience.cpf = owner.masked
    return experience


async def add_experience(call: Call, cpf: Cpf, body: ExperienceBody, id_: UUID | None = None) -> Experience:
    """Add an experience and return the row as stored.

    With `id_` a repeat is harmless: a row that is there already is returned as it is.
    Raises Invalid, and Conflict beyond the section's limit.
    """
    checked = _clean(body)
    async with call.platform.database.transaction() as connection:
        await profiles.open_resume(connection, cpf)
        if id_ is not None and (present := await store.read(connection, id_)):
            return present
        if await store.count(connection, cpf) >= MAX_EXPERIENCES:
            raise Conflict(f"O currículo já tem {MAX_EXPERIENCES} experiências.", code="experience-limit")
        added = await store.insert(connection, id_ or UUID(new_id()), cpf, checked)
        await call.platform.audit.record(connection, call, "create", subject=cpf, fields=FIELDS)
    return added


def _clean(body: ExperienceBody) -> ExperienceBody:
    return msgspec.structs.replace(
        body,
        cargo=clean_line("cargo", body.cargo, 120),
        empresa=clean_line("empresa", body.empresa, 120),
        descricao_atividades=clean_prose("descricao_atividades", body.descricao_atividades, 2000),
    )
