"""Routes for the catalogue as code."""

from typing import Annotated, TypeAlias

from balcao.access.catalogue.service import make_denial_recorder
from balcao.access.conventions import PLANS, respond_to_write
from balcao.access.documents import service, store
from balcao.access.documents.openapi import OpenApi, OpenApiQuery
from balcao.access.documents.schemas import (
    ApplyBody,
    Document,
    ExportQuery,
    Format,
    Plan,
    PlanQuery,
    PolicyQuery,
    PolicyTemplate,
)
from balcao.access.documents.service import PLAN_AGE
from balcao.access.routes import ROUTES
from balcao.core.access.rules import action
from balcao.core.audit.retention import OldRows
from balcao.core.context.call import Call
from balcao.core.exports.declaration import Exports
from balcao.core.feature import Feature
from balcao.core.http.operations import MIB
from balcao.core.http.parameters import in_query
from balcao.core.http.responses import JSON, PERSONAL, Response, from_bytes, to_json

YAML = "application/yaml"
ExportInQuery: TypeAlias = Annotated[ExportQuery, in_query(ExportQuery)]
PlanInQuery: TypeAlias = Annotated[PlanQuery, in_query(PlanQuery)]
OpenApiInQuery: TypeAlias = Annotated[OpenApiQuery, in_query(OpenApiQuery)]
PolicyInQuery: TypeAlias = Annotated[PolicyQuery, in_query(PolicyQuery)]

routes = ROUTES.extend(body_limit=MIB)


@routes.get(
    "/api/v1/catalogue",
    "access.export_catalogue",
    action("catalogue:read"),
    "O catálogo como documento",
    errors=[304],
    media_types=(YAML, JSON),
)
async def export_catalogue(call: Call, query: ExportInQuery) -> Response[Document]:
    """Devolve o catálogo como documento, em YAML ou JSON: ações, papéis, grupos, mapeamentos da cidade e operações da
    plataforma ligadas a outra ação. Pessoas não entram. Duas exportações da mesma versão são idênticas byte a byte. O
    `ETag` é a versão do catálogo.
    """
    body, version = await service.export_catalogue(call, query.format)
    media_type = YAML if query.format is Format.YAML else JSON
    return from_bytes(body, f'"{version}"', call, PERSONAL, media_type=media_type)


@routes.post(
    "/api/v1/catalogue/plan",
    "access.plan_catalogue",
    action("catalogue:read"),
    "O que um documento mudaria",
    described_body=Document,
    example={"format": 1, "actions": [{"name": "iptu:invoice:read", "description": "Consultar boletos do IPTU"}]},
    rate=PLANS,
    idempotent=True,
)
async def plan_catalogue(call: Call, query: PlanInQuery, content: bytes) -> Response[Plan]:
    """Compara um documento, em YAML ou JSON, com o catálogo e devolve um plano: o que seria criado, alterado e
    excluído, e o que o impede. Nada muda. Sem `prune`, o que não está no documento é mantido. O plano vale por 15
    minutos.
    """
    return to_json(await service.plan_changes(call, content, prune=query.prune), headers={"Cache-Control": PERSONAL})


@routes.post(
    "/api/v1/catalogue/plan/openapi",
    "access.plan_openapi",
    action("catalogue:read"),
    "Os mapeamentos de uma aplicação, pela sua descrição OpenAPI",
    described_body=OpenApi,
    example={
        "openapi": "3.1.0",
        "servers": [{"url": "/iptu/api/v1"}],
        "paths": {"/parcelas/{id}": {"get": {"summary": "Uma parcela", "x-balcao-action": "iptu:invoice:read"}}},
    },
    rate=PLANS,
    idempotent=True,
)
async def plan_openapi(call: Call, query: OpenApiInQuery, content: bytes) -> Response[Plan]:
    """Lê a descrição OpenAPI 3 (YAML ou JSON) de outra aplicação da cidade e devolve o plano que mapeia as suas
    operações. Nada muda até o plano ser aplicado (`/api/v1/catalogue/apply`). A ação de cada operação vem do
    `x-balcao-action` da operação ou, na falta dele, do caminho, do parâmetro `action` ou da raiz, nesta ordem. As ações
    novas vêm de `x-balcao-actions`.
    """
    return to_json(await service.plan_openapi(call, content, query), headers={"Cache-Control": PERSONAL})


@routes.post(
    "/api/v1/catalogue/apply",
    "access.apply_catalogue",
    action("catalogue:apply"),
    "Aplica um plano",
    errors=[404, 409],
    record_denial=make_denial_recorder("catalogue.apply", "catalogue"),
    rate=PLANS,
)
async def apply_catalogue(call: Call, body: ApplyBody) -> Response[Plan]:
    """Aplica o plano inteiro ou nada. Se o catálogo mudou depois do plano, ou se algo impede um passo, a resposta é
    409.
    """
    applied = await service.apply_plan(call, body.plan_id)
    return respond_to_write(applied.version or 0, applied)


@routes.get(
    "/api/v1/cerbos-policy-template",
    "access.read_policy_template",
    action("catalogue:read"),
    "Um papel como política do Cerbos",
    errors=[404],
)
async def get_policy_template(call: Call, query: PolicyInQuery) -> PolicyTemplate:
    """Devolve as ações que o papel dá agora como uma *role policy* do Cerbos, para cidades que usam as mesmas regras
    nesse motor. O recurso é o nome da ação sem o verbo. O Cerbos não conhece o membro `kind`: retire-o ao copiar.
    """
    return await service.make_policy_template(call, query.role)


FEATURE = Feature(
    routes=routes.declared,
    retention=[OldRows("access_plan", store.count_plans, store.delete_old_plans, PLAN_AGE)],
    exports=Exports(derived=("access.plan",)),
)
