"""The employability operations that the area calls. The types contain only the members that its pages use."""

import asyncio
from collections.abc import Callable, Mapping
from datetime import datetime

import msgspec

from balcao.site.reading.reader import TEN_MINUTES, Reader
from balcao.web.api import ApiFault, quoted

OPEN = "publicado_ativo"
_PUBLIC, _PRIVATE = "/jobs/api/public/empregabilidade", "/jobs/api/v1/empregabilidade"
# The service's largest page size.
PAGE_SIZE = 100


class Named(msgspec.Struct):
    """A value in a reference table."""

    descricao: str


class Choice(Named):
    id: str


class Choices(msgspec.Struct):
    data: list[Choice]


class Language(msgspec.Struct):
    idioma: Named
    nivel_minimo: Named


class Company(msgspec.Struct):
    cnpj: str
    razao_social: str
    nome_fantasia: str | None = None
    descricao: str | None = None
    setor: str | None = None
    porte: str | None = None
    website: str | None = None

    @property
    def name(self) -> str:
        return self.nome_fantasia or self.razao_social


class Department(msgspec.Struct):
    name: str


class Step(msgspec.Struct):
    titulo: str
    descricao: str | None


class Job(msgspec.Struct):
    id: str
    slug: str
    status: str
    titulo: str
    descricao: str | None
    requisitos: str | None
    diferenciais: str | None
    responsabilidades: str | None
    beneficios: str | None
    bairro: str | None
    valor_vaga: float | None
    quantidade_estimada_contratacoes: int | None
    acessibilidade_pcd: str | None
    idade_minima: int | None
    idade_maxima: int | None
    data_limite: datetime | None
    publicado_em: datetime | None
    contratante: Company | None
    regime_contratacao: Named | None
    modelo_trabalho: Named | None
    escolaridade_minima: Named | None
    orgao_parceiro: Department | None
    tipos_pcd: list[Named]
    idiomas_requisito: list[Language]
    bairros_elegibilidade: list[str]
    areas_formacao_elegibilidade: list[str]
    etapas: list[Step] = []
    informacoes_complementares: list[object] = []

    @property
    def is_open(self) -> bool:
        """Whether the service accepts applications for the job."""
        return self.status == OPEN

    @property
    def company_name(self) -> str:
        return self.contratante.name if self.contratante else ""


class Total(msgspec.Struct):
    total: int


class Jobs(msgspec.Struct):
    data: list[Job]
    meta: Total


async def list_jobs(reader: Reader, query: Mapping[str, str | int], *, is_chosen: bool) -> Jobs:
    """Return jobs that accept applications, by default the newest first. `is_chosen` is explained at `Reader.get`."""
    wanted = {"status": OPEN, **query}
    return await reader.get(f"{_PUBLIC}/vagas", Jobs, wanted, stale=TEN_MINUTES, is_chosen=is_chosen)


async def list_newest(reader: Reader) -> Jobs:
    """Return the newest jobs that accept applications."""
    return await list_jobs(reader, {"page": 1, "pageSize": PAGE_SIZE}, is_chosen=False)


async def find_jobs(reader: Reader, text: str, query: Mapping[str, str | int], rank: Callable[[Job], float]) -> Jobs:
    """Return the jobs with the text in the title, the company's name or the neighbourhood, lowest rank first.

    The service can search only one of these fields at a time. The results are therefore merged from one search of each
    field, with at most 100 jobs each.
    """
    members = [name for name in ("search", "contratante", "bairro") if name not in query]
    part = text.replace(",", " ")  # the service would treat a comma as a separator
    found = await asyncio.gather(
        *(list_jobs(reader, {**query, name: part, "pageSize": PAGE_SIZE}, is_chosen=True) for name in members)
    )
    jobs = {job.id: job for each in found for job in each.data}
    ordered = sorted(jobs.values(), key=rank)
    return Jobs(ordered, Total(len(ordered)))


async def read_job(reader: Reader, slug: str) -> Job:
    """Return a published job.

    Raises NotFound if it does not exist, and Moved if its slug has changed.
    """
    return await reader.get(f"{_PUBLIC}/vagas/slug/{quoted(slug)}", Job, stale=TEN_MINUTES)


async def find_others(reader: Reader, job: Job) -> list[Job]:
    """Return at most three other open jobs: first jobs with the same title, then jobs in the same neighbourhood.

    If the service does not answer, return an empty list.
    """
    try:
        newest = await list_newest(reader)
    except ApiFault:
        return []
    others = [each for each in newest.data if each.id != job.id]
    others.sort(key=lambda each: (each.titulo != job.titulo, each.bairro != job.bairro))
    return others[:3]


async def find_similar(reader: Reader, slug: str) -> list[Job]:
    """Return at most three open jobs that are similar to the job with this slug."""
    return await find_others(reader, await read_job(reader, slug))


async def read_company(reader: Reader, cnpj: str) -> Company:
    """Return a company. Raises NotFound if it does not exist."""
    return await reader.get(f"{_PRIVATE}/empresas/{quoted(cnpj)}", Company, stale=TEN_MINUTES)


async def list_contracts(reader: Reader) -> list[Choice]:
    """Return the kinds of contract."""
    return (await reader.get(f"{_PRIVATE}/regimes-contratacao", Choices)).data


async def list_models(reader: Reader) -> list[Choice]:
    """Return the work models, such as remote work."""
    return (await reader.get(f"{_PRIVATE}/modelos-trabalho", Choices)).data
