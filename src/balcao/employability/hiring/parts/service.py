"""Changes single parts of a job. The rules for the whole job apply (rules: employability 2.5, 3.3)."""

from collections.abc import Sequence
from uuid import UUID

import msgspec

from balcao.core.context.call import Call
from balcao.core.errors import Conflict, NotFound
from balcao.core.values.ids import new_id
from balcao.core.values.page import Page
from balcao.employability.hiring.content.merge import (
    MOST_LANGUAGES,
    MOST_STEPS,
    invalid_field,
    parse_ids,
    parse_step_content,
    read_languages,
)
from balcao.employability.hiring.content.rules import JobContent, StepContent
from balcao.employability.hiring.content.schemas import Step, StepBody
from balcao.employability.hiring.listings import service as listings
from balcao.employability.hiring.listings.schemas import StaffJob
from balcao.employability.hiring.parts.schemas import DisabilityTypesBody, LanguagesBody, Steps, ZonesBody
from balcao.employability.lists import ListMeta
from balcao.employability.schemas import Message


async def replace_disability_types(call: Call, job_id: UUID, body: DisabilityTypesBody) -> Message:
    """Replace a job's disability types.

    Raises Invalid for an unknown id or too many ids, or if there are ids and the job has no `acessibilidade_pcd`. Also
    raises the exceptions of `change_job`.
    """
    ids = parse_ids("tipos_pcd_ids", body.tipos_pcd_ids)

    def change(content: JobContent) -> JobContent:
        if ids and content.acessibilidade_pcd is None:
            raise invalid_field("tipos_pcd_ids", "só vale em uma vaga com `acessibilidade_pcd`")
        return msgspec.structs.replace(content, tipos_pcd=ids)

    await listings.change_job(call, job_id, change)
    return Message("Tipos de deficiência alterados.")


async def replace_zones(call: Call, job_id: UUID, body: ZonesBody) -> Message:
    """Replace a job's zones.

    Raises Invalid for an unknown zone or too many zones, and the exceptions of `change_job`.
    """
    ids = parse_ids("zona_ids", body.zona_ids)
    await listings.change_job(call, job_id, lambda content: msgspec.structs.replace(content, zonas=ids))
    return Message("Zonas alteradas.")


async def replace_languages(call: Call, job_id: UUID, body: LanguagesBody) -> Message:
    """Replace a job's required languages.

    Raises Invalid for an unknown id or too many languages, Conflict if a language occurs twice, and the exceptions of
    `change_job`.
    """
    named = [each.id_idioma.strip().lower() for each in body.requisitos]
    if len(named) <= MOST_LANGUAGES and len(set(named)) < len(named):
        raise Conflict("O campo `requisitos` tem o mesmo idioma duas vezes.", code="language-repeated")
    languages = read_languages(body.requisitos)
    await listings.change_job(
        call, job_id, lambda content: msgspec.structs.replace(content, idiomas_requisito=languages)
    )
    return Message("Idiomas alterados.")


async def list_job_steps(call: Call, job_id: UUID) -> Steps:
    """Return all steps of a job. Raises NotFound if the job is unknown or out of reach."""
    steps = (await listings.read_job(call, job_id)).etapas
    return Steps(steps, ListMeta.of(Page(1, MOST_STEPS), len(steps)))


async def read_job_step(call: Call, job_id: UUID, id_: UUID) -> Step:
    """Return a step. Raises NotFound if the job does not exist or has no such step."""
    return _find(await listings.read_job(call, job_id), id_)


async def add_step(call: Call, job_id: UUID, body: StepBody) -> bytes:
    """Insert a step at position `ordem`, by default at the end, and return the step as JSON.

    Raises Invalid if the body is not valid, Conflict if the job has the maximum number of steps, and the exceptions of
    `change_job_once`.
    """
    step = parse_step_content(UUID(new_id()), body)

    def change(content: JobContent) -> JobContent:
        if len(content.etapas) >= MOST_STEPS:
            raise Conflict(f"A vaga já tem {MOST_STEPS} etapas.", code="step-limit")
        return _with_steps(content, _insert(content.etapas, step, body.ordem))

    return await listings.change_job_once(call, job_id, ["etapa", body], change, lambda job: _find(job, step.id))


async def replace_step(call: Call, job_id: UUID, id_: UUID, body: StepBody) -> Step:
    """Replace a step. Without `ordem`, its position does not change.

    Raises Invalid if the body is not valid, NotFound if the job has no such step, and the exceptions of `change_job`.
    """
    step = parse_step_content(id_, body)

    def change(content: JobContent) -> JobContent:
        place = _find_place(content, id_)
        others = [each for each in content.etapas if each.id != id_]
        return _with_steps(content, _insert(others, step, body.ordem or place + 1))

    return _find(await listings.change_job(call, job_id, change), id_)


async def remove_step(call: Call, job_id: UUID, id_: UUID) -> Message:
    """Remove a step. The steps after it move up.

    Raises NotFound if the job has no such step, and the exceptions of `change_job`.
    """

    def change(content: JobContent) -> JobContent:
        _find_place(content, id_)
        return _with_steps(content, [step for step in content.etapas if step.id != id_])

    await listings.change_job(call, job_id, change)
    return Message("Etapa excluída.")


def _insert(steps: Sequence[StepContent], step: StepContent, place: int | None) -> list[StepContent]:
    """Return the steps with `step` inserted at `place`, counted from 1 and limited to the ends of the list."""
    index = len(steps) if place is None else min(max(place - 1, 0), len(steps))
    return [*steps[:index], step, *steps[index:]]


def _with_steps(content: JobContent, steps: Sequence[StepContent]) -> JobContent:
    return msgspec.structs.replace(content, etapas=steps)


def _find_place(content: JobContent, id_: UUID) -> int:
    place = next((place for place, step in enumerate(content.etapas) if step.id == id_), None)
    if place is None:
        raise _unknown()
    return place


def _find(job: StaffJob, id_: UUID) -> Step:
    step = next((step for step in job.etapas if step.id == id_), None)
    if step is None:
        raise _unknown()
    return step


def _unknown() -> NotFound:
    return NotFound("A vaga não tem etapa com este `id`.", code="step-unknown")
