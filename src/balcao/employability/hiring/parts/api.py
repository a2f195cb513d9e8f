"""Routes for the parts of a job."""

from typing import Annotated
from uuid import UUID, uuid5

from balcao.core.context.call import Call
from balcao.core.feature import Feature
from balcao.core.http.operations import FORM_BODY
from balcao.core.http.responses import PERSONAL, Response, created, to_json
from balcao.employability.hiring.content.schemas import Step, StepBody
from balcao.employability.hiring.listings.api import BASE, RATE, scoped
from balcao.employability.hiring.parts import service
from balcao.employability.hiring.parts.schemas import DisabilityTypesBody, LanguagesBody, Steps, ZonesBody
from balcao.employability.hiring.paths import PublishedJobInPath, sandbox_job_id
from balcao.employability.paths import uuid_in_path
from balcao.employability.reference_values.kinds import Kind, seed_value_id
from balcao.employability.routes import ROUTES
from balcao.employability.schemas import Message

READ = scoped("job_listing:read")
CHANGE = scoped("job_listing:update", "job_listing:update_published")
_RULES = (
    "Exige a ação `job_listing:update`; depois da publicação, também `job_listing:update_published`. Fora da edição a "
    "vaga precisa continuar completa. `If-Match` leva o `ETag` da vaga."
)
# A part has no ETag of its own, because `If-Match` refers to the whole job.
UNSTORED = {"Cache-Control": PERSONAL}
STEP_EXAMPLE = {"titulo": "Entrevista", "descricao": "Conversa com a equipe.", "ordem": 2}
ENGLISH = {
    "id_idioma": str(seed_value_id(Kind.LANGUAGE, "Inglês")),
    "id_nivel_minimo": str(seed_value_id(Kind.LANGUAGE_LEVEL, "Básico")),
}
StepInPath = Annotated[UUID, uuid_in_path(uuid5(sandbox_job_id("V1"), "etapa:0"), "Identificador da etapa (UUID)")]

routes = ROUTES.extend(tags=["jobs"], body_limit=FORM_BODY)


@routes.put(
    f"{BASE}/{{id}}/tipos-pcd",
    "employability.replace_job_disability_types",
    CHANGE,
    "Troca os tipos de deficiência de uma vaga",
    description=f"Substitui os tipos de deficiência, em uma vaga com `acessibilidade_pcd`. {_RULES}",
    example={"tipos_pcd_ids": []},
    errors=[412],
    rate=RATE,
)
async def put_disability_types(call: Call, id: PublishedJobInPath, body: DisabilityTypesBody) -> Message:
    return await service.replace_disability_types(call, id, body)


@routes.put(
    f"{BASE}/{{id}}/zonas",
    "employability.replace_job_zones",
    CHANGE,
    "Troca as zonas de uma vaga",
    description=f"Substitui as zonas da cidade. {_RULES}",
    example={"zona_ids": [str(seed_value_id(Kind.ZONE, "Centro"))]},
    errors=[412],
    rate=RATE,
)
async def put_zones(call: Call, id: PublishedJobInPath, body: ZonesBody) -> Message:
    return await service.replace_zones(call, id, body)


@routes.put(
    f"{BASE}/{{id}}/idiomas-requisito",
    "employability.replace_job_languages",
    CHANGE,
    "Troca os idiomas exigidos por uma vaga",
    description=f"Substitui os idiomas exigidos; um idioma repetido é 409. {_RULES}",
    example={"requisitos": [ENGLISH]},
    errors=[409, 412],
    rate=RATE,
)
async def put_languages(call: Call, id: PublishedJobInPath, body: LanguagesBody) -> Message:
    return await service.replace_languages(call, id, body)


@routes.get(
    f"{BASE}/{{id}}/etapas",
    "employability.list_job_steps",
    READ,
    "Etapas de uma vaga",
    errors=[400],
)
async def get_steps(call: Call, id: PublishedJobInPath) -> Response[Steps]:
    """Devolve todas as etapas de uma vaga, em ordem."""
    return to_json(await service.list_job_steps(call, id), headers=UNSTORED)


@routes.post(
    f"{BASE}/{{id}}/etapas",
    "employability.add_job_step",
    CHANGE,
    "Acrescenta uma etapa",
    description=f"Acrescenta uma etapa, no fim ou no lugar `ordem`, e a devolve; no máximo 30 (409). {_RULES}",
    example=STEP_EXAMPLE,
    status=201,
    errors=[409, 412],
    rate=RATE,
)
async def post_step(call: Call, id: PublishedJobInPath, body: StepBody) -> Response[Step]:
    return created(await service.add_step(call, id, body))


@routes.get(
    f"{BASE}/{{id}}/etapas/{{etapa_id}}",
    "employability.read_job_step",
    READ,
    "Uma etapa de uma vaga",
    errors=[400],
)
async def get_step(call: Call, id: PublishedJobInPath, etapa_id: StepInPath) -> Response[Step]:
    """Devolve uma etapa. Se ela é de outra vaga, a resposta é 404."""
    return to_json(await service.read_job_step(call, id, etapa_id), headers=UNSTORED)


@routes.put(
    f"{BASE}/{{id}}/etapas/{{etapa_id}}",
    "employability.replace_job_step",
    CHANGE,
    "Altera uma etapa",
    description=f"Substitui uma etapa e a devolve; sem `ordem`, fica em seu lugar. {_RULES}",
    example=STEP_EXAMPLE,
    errors=[412],
    rate=RATE,
)
async def put_step(call: Call, id: PublishedJobInPath, etapa_id: StepInPath, body: StepBody) -> Response[Step]:
    return to_json(await service.replace_step(call, id, etapa_id, body), headers=UNSTORED)


@routes.delete(
    f"{BASE}/{{id}}/etapas/{{etapa_id}}",
    "employability.remove_job_step",
    CHANGE,
    "Exclui uma etapa",
    description=f"Exclui uma etapa; as seguintes mudam de lugar. {_RULES}",
    errors=[400, 412],
    rate=RATE,
)
async def remove_step(call: Call, id: PublishedJobInPath, etapa_id: StepInPath) -> Message:
    return await service.remove_step(call, id, etapa_id)


FEATURE = Feature(routes=routes.declared)
