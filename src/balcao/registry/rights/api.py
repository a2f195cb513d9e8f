"""Routes for a person's rights and for the audit trail."""

from collections.abc import Iterable

from balcao.core.access.rules import action, own
from balcao.core.audit.personal_data import PersonalData, list_export_members
from balcao.core.context.call import Call
from balcao.core.feature import Feature
from balcao.core.http import decoding
from balcao.core.http.operations import SMALL_BODY
from balcao.core.http.paging import PageInQuery
from balcao.core.http.parameters import CpfInPath, Query
from balcao.core.http.responses import Response, attachment, personal
from balcao.registry.rights import anonymisation, service
from balcao.registry.rights.schemas import (
    AccessPage,
    AccessQuery,
    Anonymisation,
    AnonymisationBody,
    AuditPage,
    AuditQuery,
    Export,
    RetentionReport,
    make_export_type,
)
from balcao.registry.routes import ROUTES

EXPORT_KEY = "registry.export_data"
FILE_NAME = "dados-do-cidadao.json"

routes = ROUTES.extend(tags=["rights"], body_limit=SMALL_BODY)


@routes.get(
    "/citizen/{cpf}/data-export",
    EXPORT_KEY,
    own("citizen:export"),
    "Arquivo com todos os dados do cidadão",
    errors=[400],
)
async def export_data(call: Call, cpf: CpfInPath) -> Response[Export]:
    """Devolve, como anexo JSON, tudo o que a plataforma guarda do cidadão em um mesmo instante, e quem viu os seus
    dados nos últimos 12 meses. Disponível para o próprio cidadão e para atendentes com a ação `citizen:export`. A
    exportação é registrada na trilha de auditoria e tem um limite de chamadas por pessoa. Os outros serviços do mesmo
    processo acrescentam os seus membros, que a descrição de cada um define.
    """
    return attachment(await service.export_person(call, cpf), FILE_NAME)


@routes.get(
    "/citizen/{cpf}/data-access",
    "registry.list_accesses",
    own("audit:read"),
    "Quem viu ou mudou os dados do cidadão",
    errors=[304],
    query=AccessQuery,
)
async def get_accesses(call: Call, cpf: CpfInPath, query: Query, page: PageInQuery) -> Response[AccessPage]:
    """Devolve uma página dos acessos aos dados do cidadão, do mais novo ao mais antigo: quando, por qual operação e por
    qual cliente, nunca por qual pessoa. Para um dia, envie a mesma data em `from` e `to`. `actor_kind` escolhe quem
    agiu, `counts` traz quantos acessos há por tipo e `names` descreve cada acesso em palavras. Disponível para o
    próprio cidadão e para auditores com a ação `audit:read`.
    """
    found = await service.list_accesses(call, cpf, query, page)
    return personal(found, call)


@routes.post(
    "/citizen/{cpf}/anonymisation",
    "registry.anonymise_citizen",
    own("citizen:anonymise"),
    "Anonimiza o cidadão: primeiro uma simulação, depois a confirmação",
    example={"dry_run": True, "reason": "Pedido do cidadão no atendimento 4711"},
    errors=[409],
    described_body=AnonymisationBody,
)
async def anonymise_citizen(call: Call, cpf: CpfInPath, content: bytes) -> Anonymisation:
    """Com `dry_run` verdadeiro, devolve o que seria apagado, o que seria mantido e uma confirmação, sem mudar nada. Com
    `dry_run` falso e essa confirmação, anonimiza de fato, em até 15 minutos e se os dados não mudaram. Não é possível
    desfazer. Disponível para o próprio cidadão e para atendentes com a ação `citizen:anonymise`, que devem informar o
    motivo.
    """
    body = decoding.decode(content or b"{}", AnonymisationBody)
    return await anonymisation.anonymise_person(call, cpf, body)


@routes.get(
    "/admin/audit",
    "registry.list_audit_events",
    action("audit:read"),
    "Trilha de auditoria de um período de até 31 dias",
    concerns_people=True,
    errors=[304],
    query=AuditQuery,
)
async def get_events_about_person(call: Call, query: Query, page: PageInQuery) -> Response[AuditPage]:
    """Devolve uma página dos eventos de auditoria do período, do mais novo ao mais antigo. Aceita filtros por pessoa,
    autor (CPF, ou `sub` de quem entra sem CPF), cliente, operação e pela presença de dados de uma pessoa. Exige a ação
    `audit:read` e o motivo no cabeçalho `X-Access-Reason`. A própria consulta é registrada na trilha.
    """
    return personal(await service.list_events_about_person(call, query, page), call)


@routes.get(
    "/admin/retention",
    "registry.read_retention_report",
    action("audit:read"),
    "O que os prazos de guarda apagaram, e quantas pessoas foram anonimizadas",
)
async def get_retention_report(call: Call) -> RetentionReport:
    """Devolve, para cada tipo de dado com prazo de guarda, a última execução e quantos registros foram apagados em 30
    dias, e o número de pessoas anonimizadas. Só contém números, sem dados pessoais. Exige a ação `audit:read`.
    """
    return await service.read_retention_report(call)


def make_feature(declarations: Iterable[PersonalData]) -> Feature:
    """Declare the feature. The export's schema consists of the members that the given features declare."""
    export = make_export_type(list_export_members(declarations))
    return Feature(routes=[one.returning(export) if one.key == EXPORT_KEY else one for one in routes.declared])
