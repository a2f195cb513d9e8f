"""The API operations on companies, reference values, the resume bank and older jobs."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

import msgspec

from balcao.panel.jobs.candidates_client import Resume
from balcao.panel.jobs.client import BASE, Page, Value
from balcao.web.api import Api, Read, quoted

COMPANIES = f"{BASE}/empresas"
BANK = f"{BASE}/banco-curriculos"
OLDER_JOBS = "/jobs/api/v1/empregos"
# The reason for reading resumes. People see it in the list of accesses to their data.
BANK_REASON = "Busca no banco de currículos"


class Company(msgspec.Struct):
    cnpj: str
    razao_social: str
    nome_fantasia: str | None = None
    descricao: str | None = None
    url_logo: str | None = None
    website: str | None = None
    setor: str | None = None
    porte: str | None = None

    @property
    def label(self) -> str:
        return self.nome_fantasia or self.razao_social


class Place(msgspec.Struct):
    logradouro: str | None = None
    numero: str | None = None
    bairro: str | None = None
    municipio: str | None = None


class LegalEntity(msgspec.Struct):
    """A company's record in the city's registry, found by CNPJ."""

    cnpj: str
    razao_social: str | None = None
    nome_fantasia: str | None = None
    situacao_cadastral: str | None = None
    porte: str | None = None
    endereco: Place | None = None


class BankItem(msgspec.Struct):
    id: str
    cpf: str
    nome: str | None
    nome_social: str | None
    profissao: str | None
    escolaridade: str | None
    data_inclusao: datetime

    @property
    def name(self) -> str:
        return self.nome_social or self.nome or "Nome ainda não lido do cadastro"


class BankEntry(BankItem, kw_only=True):
    bairro: str | None = None
    celular: str | None = None
    genero: str | None = None
    idade: int | None = None
    curriculo: Resume


class OlderJob(msgspec.Struct):
    id: int
    titulo: str
    status: str
    tipo_contratacao: str
    descricao: str | None = None
    beneficios: str | None = None
    pre_requisitos: str | None = None
    contato_duvidas: str | None = None
    orgao_id: str | None = None
    empresa_id: int | None = None
    escolaridade_id: int | None = None
    jornada_trabalho: str | None = None
    turno: str | None = None
    numero_vagas: int | None = None
    salario_min: int | None = None
    salario_max: int | None = None
    latitude: float | None = None
    longitude: float | None = None
    data_inicio_prevista: datetime | None = None
    data_limite_candidatura: datetime | None = None


async def list_companies(
    api: Api, *, search: str | None = None, cnpj: str | None = None, page: int = 1, size: int = 25
) -> Page[Company]:
    return await api.get(COMPANIES, Page[Company], {"search": search, "cnpj": cnpj, "page": page, "pageSize": size})


async def read_company(api: Api, cnpj: str) -> Read[Company]:
    return await api.read(f"{COMPANIES}/{quoted(cnpj)}", Company)


async def look_up_company(api: Api, cnpj: str) -> LegalEntity:
    return await api.get(f"{COMPANIES}/consulta-cnpj/{quoted(cnpj)}", LegalEntity)


async def create_company(api: Api, body: Mapping[str, Any], key: str) -> Company:
    return await api.send("POST", COMPANIES, Company, body, key=key)


async def replace_company(api: Api, cnpj: str, body: Mapping[str, Any], etag: str) -> Company:
    return await api.send("PUT", f"{COMPANIES}/{quoted(cnpj)}", Company, body, etag=etag)


async def delete_company(api: Api, cnpj: str, etag: str) -> None:
    await api.send("DELETE", f"{COMPANIES}/{quoted(cnpj)}", type(None), etag=etag)


async def read_value(api: Api, table: str, value: str) -> Read[Value]:
    return await api.read(f"{BASE}/{table}/{quoted(value)}", Value)


async def create_value(api: Api, table: str, body: Mapping[str, Any], key: str) -> Value:
    return await api.send("POST", f"{BASE}/{table}", Value, body, key=key)


async def replace_value(api: Api, table: str, value: str, body: Mapping[str, Any], etag: str) -> Value:
    return await api.send("PUT", f"{BASE}/{table}/{quoted(value)}", Value, body, etag=etag)


async def delete_value(api: Api, table: str, value: str, etag: str) -> None:
    await api.send("DELETE", f"{BASE}/{table}/{quoted(value)}", type(None), etag=etag)


async def list_bank(api: Api, search: str | None, page: int, size: int) -> Page[BankItem]:
    return await api.get(BANK, Page[BankItem], {"search": search, "page": page, "pageSize": size}, reason=BANK_REASON)


async def read_bank_entry(api: Api, entry: str) -> BankEntry:
    return await api.get(f"{BANK}/{quoted(entry)}", BankEntry, reason=BANK_REASON)


async def list_older_jobs(api: Api, query: Mapping[str, Any]) -> Page[OlderJob]:
    return await api.get(OLDER_JOBS, Page[OlderJob], query)


async def read_older_job(api: Api, job: str) -> Read[OlderJob]:
    return await api.read(f"{OLDER_JOBS}/{quoted(job)}", OlderJob)


async def create_older_job(api: Api, body: Mapping[str, Any], key: str) -> OlderJob:
    return await api.send("POST", OLDER_JOBS, OlderJob, body, key=key)


async def replace_older_job(api: Api, job: str, body: Mapping[str, Any], etag: str) -> OlderJob:
    return await api.send("PUT", f"{OLDER_JOBS}/{quoted(job)}", OlderJob, body, etag=etag)


async def delete_older_job(api: Api, job: str, etag: str) -> None:
    await api.send("DELETE", f"{OLDER_JOBS}/{quoted(job)}", type(None), etag=etag)
