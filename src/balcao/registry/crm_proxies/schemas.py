"""Wire types of the CRM proxies; their keys are the portals' own."""

from datetime import datetime
from typing import Any

import msgspec


class ConsentBody(msgspec.Struct):
    """`motivo` is needed to withdraw; `origem` is the channel through which the citizen decided."""

    categoria: str
    acao: str
    canal: str | None = None
    finalidade: str | None = None
    motivo: str | None = None
    origem: str | None = None


class Related(msgspec.Struct, rename="camel"):
    protocolos: list[dict[str, str]]
    ligacoes: list[dict[str, str]]
    ordens_servico: list[dict[str, str]]


class ExportedChannel(msgspec.Struct):
    canal: str
    status: str
    tipo: str
    motivo: str | None


class ExportedConsent(msgspec.Struct):
    codigo: str
    descricao: str
    canais: list[ExportedChannel]


class Export(msgspec.Struct, rename="camel"):
    cpf: str
    data_exportacao: datetime
    dados_pessoais: dict[str, Any]
    relacionados: Related
    consentimento: list[ExportedConsent]


class FiledRequest(msgspec.Struct, rename="camel"):
    numero_solicitacao: str
    cpf: str
    status: str
    data_solicitacao: datetime


class RequestStatus(msgspec.Struct, rename="camel"):
    numero_solicitacao: str
    status: str
    data_solicitacao: datetime
    data_conclusao: datetime | None
