"""Wire types of the CRM proxies; their keys are the portals' own."""

from datetime import datetime
from typing import Any

import msgspec


class CrmConsentBody(msgspec.Struct):
    """`motivo` is needed to withdraw; `origem` is the channel through which the citizen decided."""

    categoria: str
    acao: str
    canal: str | None = None
    finalidade: str | None = None
    motivo: str | None = None
    origem: str | None = None


class CrmRelated(msgspec.Struct, rename="camel"):
    protocolos: list[dict[str, str]]
    ligacoes: list[dict[str, str]]
    ordens_servico: list[dict[str, str]]


class CrmExportedChannel(msgspec.Struct):
    canal: str
    status: str
    tipo: str
    motivo: str | None


class CrmExportedConsent(msgspec.Struct):
    codigo: str
    descricao: str
    canais: list[CrmExportedChannel]


class CrmExport(msgspec.Struct, rename="camel"):
    cpf: str
    data_exportacao: datetime
    dados_pessoais: dict[str, Any]
    relacionados: CrmRelated
    consentimento: list[CrmExportedConsent]


class FiledAnonymisation(msgspec.Struct, rename="camel"):
    numero_solicitacao: str
    cpf: str
    status: str
    data_solicitacao: datetime


class AnonymisationStatus(msgspec.Struct, rename="camel"):
    numero_solicitacao: str
    status: str
    data_solicitacao: datetime
    data_conclusao: datetime | None
