"""Reads a complete resume, and saves several of its parts in one call (rules: employability 2.8, 3.6)."""

from collections.abc import Sequence
from typing import Any

import msgspec

from balcao.core.context.call import Call
from balcao.core.database.pool import Connection
from balcao.core.values.cpf import Cpf
from balcao.employability.resume.links import service as links
from balcao.employability.resume.links.kinds import BEHAVIOURS, SKILLS
from balcao.employability.resume.overview import store
from balcao.employability.resume.overview.schemas import (
    EducationSave,
    ExperienceSave,
    Links,
    LinksSave,
    Resume,
    SavedEducation,
    SavedExperience,
    SavedLinks,
)
from balcao.employability.resume.profiles import service as profiles
from balcao.employability.resume.profiles.store import touch_resume
from balcao.employability.resume.sections import service as sections
from balcao.employability.resume.sections.records import (
    ACHIEVEMENTS,
    EDUCATION,
    EXPERIENCES,
    LANGUAGES,
    Section,
)
from balcao.employability.resume.sections.store import list_section_rows

FIELDS = ["curriculo"]


async def read_resume(call: Call, cpf: Cpf) -> Resume:
    """Return a person's resume. It is empty if the person has none.

    For a caller other than the owner, the CPF is masked and the audit trail records the read.
    """
    async with call.reading(cpf, FIELDS) as source:
        resume, _ = await store.read_stored_resume(source, cpf)
    return resume if call.is_owner else _mask(resume, cpf)


async def save_education(call: Call, cpf: Cpf, body: EducationSave) -> SavedEducation:
    """Save education and languages in one transaction. Raises Invalid if any row is rejected."""
    async with call.platform.database.transaction() as connection:
        await touch_resume(connection, cpf)
        education = await _save(connection, EDUCATION, cpf, body.formacoes)
        languages = await _save(connection, LANGUAGES, cpf, body.idiomas)
        await call.platform.audit.record(connection, call, "update", subject=cpf, fields=["formacoes", "idiomas"])
    return SavedEducation(sections.show_rows(call, education), sections.show_rows(call, languages))


async def save_experience(call: Call, cpf: Cpf, body: ExperienceSave) -> SavedExperience:
    """Save experiences, achievements and the summary in one transaction. Raises Invalid if any part is rejected."""
    fields = ["experiencias", "conquistas", "resumo_profissional"]
    async with call.platform.database.transaction() as connection:
        await touch_resume(connection, cpf)
        experiences = await _save(connection, EXPERIENCES, cpf, body.experiencias)
        achievements = await _save(connection, ACHIEVEMENTS, cpf, body.conquistas)
        # The citizen portal omits `resumo_profissional` if the person has cleared it.
        summary = await profiles.save_summary(connection, cpf, body.resumo_profissional or "")
        await call.platform.audit.record(connection, call, "update", subject=cpf, fields=fields)
    return SavedExperience(sections.show_rows(call, experiences), sections.show_rows(call, achievements), summary)


async def _save(connection: Connection, section: Section, cpf: Cpf, bodies: Sequence[Any] | None) -> list[Any]:
    if bodies is None:
        return await list_section_rows(connection, section, cpf)
    return await sections.save_rows(connection, section, cpf, bodies)


async def save_links(call: Call, cpf: Cpf, body: LinksSave) -> SavedLinks:
    """Save the caller's behaviours and skills in one transaction. Raises Invalid if any entry is rejected."""
    fields = ["comportamento_atitudes", "area_atuacao_habilidade"]
    async with call.platform.database.transaction() as connection:
        await touch_resume(connection, cpf)
        behaviours = await links.save_links(connection, BEHAVIOURS, cpf, body.comportamento_atitudes_ids)
        skills = await links.save_links(connection, SKILLS, cpf, body.area_atuacao_habilidade_ids)
        await call.platform.audit.record(connection, call, "update", subject=cpf, fields=fields)
    return SavedLinks(Links(behaviours, skills))


def _mask(resume: Resume, cpf: Cpf) -> Resume:
    """Return the resume with masked CPFs, for callers other than its owner."""
    masked = {}
    for member in resume.__struct_fields__:
        value = getattr(resume, member)
        if isinstance(value, list):
            masked[member] = [msgspec.structs.replace(row, cpf=cpf.masked) for row in value]
        elif value is not None and not isinstance(value, str):
            masked[member] = msgspec.structs.replace(value, cpf=cpf.masked)
    return msgspec.structs.replace(resume, **masked)
