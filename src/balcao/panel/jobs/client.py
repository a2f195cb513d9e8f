"""The API operations on jobs. The types contain only the members that the pages use."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Generic, TypeVar

import msgspec

from balcao.web.api import Api, Read, quoted
from balcao.web.envelopes import Data, Total

T = TypeVar("T")

BASE = "/jobs/api/v1/empregabilidade"
JOBS = f"{BASE}/vagas"


class Value(msgspec.Struct):
    """A value of a reference table."""

    id: str
    descricao: str
    ordem: int | None = None


class Department(msgspec.Struct):
    cd_ua: str
    name: str | None = None
    sigla: str | None = None

    @property
    def label(self) -> str:
        return self.name or self.cd_ua


class Company(msgspec.Struct):
    cnpj: str
    razao_social: str
    nome_fantasia: str | None = None

    @property
    def label(self) -> str:
        return self.nome_fantasia or self.razao_social


class Page(Data[T], Generic[T]):
    """One page of a list."""

    meta: Total


class JobItem(msgspec.Struct):
    id: str
    titulo: str
    status: str
    contratante: Company
    orgao_parceiro: Department | None
    bairro: str | None
    data_limite: datetime | None
    created_at: datetime
    updated_at: datetime


class JobPage(Page[JobItem]):
    resumo: dict[str, int]


class Step(msgspec.Struct):
    id: str
    titulo: str
    ordem: int
    descricao: str = ""


class Question(msgspec.Struct):
    id: str
    titulo: str
    obrigatorio: bool
    tipo_campo: str
    valor_minimo: int | None = None
    valor_maximo: int | None = None
    opcoes: list[str] | None = None


class LanguageRequirement(msgspec.Struct):
    id_idioma: str
    id_nivel_minimo: str
    idioma: Value
    nivel_minimo: Value


class Job(JobItem, kw_only=True):
    slug: str
    descricao: str
    id_contratante: str
    id_regime_contratacao: str
    regime_contratacao: Value
    id_modelo_trabalho: str
    modelo_trabalho: Value
    id_orgao_parceiro: str | None
    requisitos: str | None
    diferenciais: str | None
    responsabilidades: str | None
    beneficios: str | None
    valor_vaga: float | None
    quantidade_estimada_contratacoes: int | None
    acessibilidade_pcd: str | None
    tipos_pcd: list[Value]
    idade_minima: int | None
    idade_maxima: int | None
    id_escolaridade_minima: str | None
    escolaridade_minima: Value | None
    bairros_elegibilidade: list[str]
    areas_formacao_elegibilidade: list[str]
    zonas: list[Value]
    idiomas_requisito: list[LanguageRequirement]
    etapas: list[Step]
    informacoes_complementares: list[Question]
    acoes_permitidas: list[str] = []


class Changed(msgspec.Struct):
    message: str
    id: str


class Event(msgspec.Struct):
    de: str | None
    evento: str
    para: str
    em: datetime
    por: str
    motivo: str | None


async def list_jobs(api: Api, query: Mapping[str, Any]) -> JobPage:
    return await api.get(JOBS, JobPage, query)


async def read_job(api: Api, job: str) -> Read[Job]:
    return await api.read(f"{JOBS}/{quoted(job)}", Job)


async def list_history(api: Api, job: str, size: int = 200) -> Page[Event]:
    """Return the newest events in a job's history. The default size is the maximum that the service allows."""
    return await api.get(f"{JOBS}/{quoted(job)}/historico", Page[Event], {"pageSize": size})


async def create_draft(api: Api, body: Mapping[str, Any], key: str) -> Job:
    return await api.send("POST", f"{JOBS}/draft", Job, body, key=key)


async def replace_job(api: Api, job: str, body: Mapping[str, Any], etag: str) -> Job:
    return await api.send("PUT", f"{JOBS}/{quoted(job)}", Job, body, etag=etag)


async def duplicate_job(api: Api, job: str, key: str) -> Job:
    """Copy a job to a new draft.

    The service accepts its own response as the body, and assigns new ids.
    """
    whole = await api.get(f"{JOBS}/{quoted(job)}", dict[str, Any])
    # Titles have at most 500 characters, so make room for " (cópia)".
    whole["titulo"] = f"{whole['titulo'][:491]} (cópia)"
    return await api.send("POST", f"{JOBS}/draft", Job, whole, key=key)


async def move_job(api: Api, job: str, change: str, reason: str, etag: str) -> Changed:
    body = {"motivo": reason} if reason else {}
    return await api.send("PUT", f"{JOBS}/{quoted(job)}/{change}", Changed, body, etag=etag)


async def delete_job(api: Api, job: str, etag: str) -> None:
    await api.send("DELETE", f"{JOBS}/{quoted(job)}", dict[str, Any], etag=etag)


async def list_values(api: Api, table: str) -> Page[Value]:
    return await api.get(f"{BASE}/{table}", Page[Value], {"pageSize": 1000})
