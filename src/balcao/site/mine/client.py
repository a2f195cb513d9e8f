"""The API operations on a citizen's own data. The types contain only the members that the pages use."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

import msgspec

from balcao.web.api import Api, Read, quoted
from balcao.web.envelopes import Page
from balcao.web.person.client import Company, Pet, Subject

_JOBS = "/jobs/api/v1/empregabilidade"


class Named(msgspec.Struct):
    id: str
    titulo: str = ""


class Question(Named):
    tipo_campo: str = ""
    obrigatorio: bool = False
    opcoes: list[str] | None = None

    @property
    def options(self) -> list[str]:
        """Return the options for a question with a selection."""
        return self.opcoes or []


class OpenJob(msgspec.Struct):
    id: str
    slug: str
    titulo: str
    contratante: "Employer"
    informacoes_complementares: list[Question]
    etapas: list["Step"] = []


class Criterion(msgspec.Struct):
    criterio: str
    exigido: str
    atendido: bool


class Eligibility(msgspec.Struct):
    elegivel: bool
    criterios: list[Criterion]


class Step(Named):
    ordem: int = 0


def name_first_step(steps: Sequence[Step]) -> str:
    """Return the title of the first of a job's steps, or an empty string if there are none."""
    return min(steps, key=lambda one: one.ordem).titulo if steps else ""


class Employer(msgspec.Struct):
    razao_social: str
    nome_fantasia: str | None = None

    @property
    def name(self) -> str:
        """Return the company's trade name, or its legal name if it has no trade name."""
        return self.nome_fantasia or self.razao_social


class Job(msgspec.Struct):
    slug: str
    titulo: str
    contratante: Employer
    etapas: list[Step]
    data_limite: str | None

    @property
    def first_step(self) -> str:
        """Return the title of the first step, or an empty string if the job has no steps."""
        return name_first_step(self.etapas)


class Application(msgspec.Struct):
    id: str
    status: str
    created_at: datetime
    vaga: Job
    etapa_atual: Step | None
    acoes_permitidas: list[str] = []


class Created(msgspec.Struct):
    id: str


class ApplicationEvent(msgspec.Struct):
    evento: str
    id_etapa_de: str | None
    id_etapa_para: str | None
    para: str
    em: datetime
    motivo: str | None


class ListMeta(msgspec.Struct):
    total: int


class Applications(msgspec.Struct):
    data: list[Application]
    meta: ListMeta


class History(msgspec.Struct):
    data: list[ApplicationEvent]


class Clinic(msgspec.Struct):
    nome: str | None = None
    id_cnes: str | None = None
    endereco: str | None = None
    telefone: str | None = None
    horario_atendimento: str | None = None


class Professional(msgspec.Struct):
    nome: str | None = None


class Team(msgspec.Struct):
    nome: str | None = None
    telefone: str | None = None
    medicos: list[Professional] = []
    enfermeiros: list[Professional] = []


class Health(msgspec.Struct):
    clinica_familia: Clinic | None = None
    equipe_saude_familia: Team | None = None


class Place(msgspec.Struct):
    nome: str | None = None
    endereco: str | None = None
    telefone: str | None = None


class Register(msgspec.Struct):
    indicador: bool | None = None
    status_cadastral: str | None = None
    data_ultima_atualizacao: str | None = None
    data_limite_cadastro_atual: str | None = None


class Assistance(msgspec.Struct):
    cras: Place | None = None
    cadunico: Register | None = None


class School(msgspec.Struct):
    nome: str | None = None
    endereco: str | None = None
    telefone: str | None = None
    horario_funcionamento: str | None = None


class Pupil(msgspec.Struct):
    turno: str | None = None
    conceito: str | None = None


class Education(msgspec.Struct):
    escola: School | None = None
    aluno: Pupil | None = None


class Wallet(msgspec.Struct):
    saude: Health | None = None
    assistencia_social: Assistance | None = None
    educacao: Education | None = None


async def list_applications(subject: Subject, *, page: int = 1, size: int = 20) -> Applications:
    path = f"{_JOBS}/candidaturas/usuario/{quoted(subject.cpf.digits)}"
    return await subject.api.get(path, Applications, {"page": page, "pageSize": size})


async def read_application(api: Api, id_: str) -> Read[Application]:
    return await api.read(f"{_JOBS}/candidaturas/{quoted(id_)}", Application)


async def read_history(api: Api, id_: str) -> Sequence[ApplicationEvent]:
    return (await api.get(f"{_JOBS}/candidaturas/{quoted(id_)}/historico", History)).data


async def withdraw_application(api: Api, id_: str, etag: str) -> None:
    await api.send("DELETE", f"{_JOBS}/candidaturas/{quoted(id_)}", type(None), etag=etag)


async def read_open_job(api: Api, slug: str) -> OpenJob:
    return await api.get(f"/jobs/api/public/empregabilidade/vagas/slug/{quoted(slug)}", OpenJob)


async def read_eligibility(api: Api, job_id: str) -> Eligibility:
    return await api.get(f"{_JOBS}/vagas/{quoted(job_id)}/elegibilidade", Eligibility)


async def accept_terms(subject: Subject) -> None:
    await subject.api.send("PUT", f"{_JOBS}/termos-uso/{quoted(subject.cpf.digits)}/accept", type(None))


async def find_application(subject: Subject, job_id: str) -> Application | None:
    """Return the citizen's application for a job, or None if there is none or it was withdrawn."""
    path = f"{_JOBS}/candidaturas/usuario/{quoted(subject.cpf.digits)}"
    found = await subject.api.get(path, Applications, {"vagaId": job_id, "pageSize": 20})
    return next((one for one in found.data if one.status != "retirada"), None)


async def apply(subject: Subject, job_id: str, answers: Mapping[str, str], key: str) -> Created:
    body = {
        "id_vaga": job_id,
        "respostas_info_complementares": [{"id_info": id_, "resposta": text} for id_, text in answers.items()],
    }
    return await subject.api.send("POST", f"{_JOBS}/candidaturas", Created, body, key=key)


async def read_wallet(subject: Subject) -> Wallet:
    return await subject.get("/wallet", Wallet)


async def list_pets(subject: Subject, *, page: int = 1, size: int = 20) -> Page[Pet]:
    return await subject.get("/pets", Page[Pet], {"page": page, "per_page": size})


async def read_pet(subject: Subject, id_: str) -> Read[dict[str, Any]]:
    """Read a pet with its version. Return all members, because a change replaces the whole pet."""
    return await subject.read(f"/pets/{quoted(id_)}", dict[str, Any])


async def add_pet(subject: Subject, body: Mapping[str, Any], key: str) -> None:
    await subject.send("POST", "/pets", type(None), body, key=key)


async def change_pet(subject: Subject, id_: str, body: Mapping[str, Any], etag: str) -> None:
    await subject.send("PUT", f"/pets/{quoted(id_)}", type(None), body, etag=etag)


async def delete_pet(subject: Subject, id_: str) -> None:
    await subject.send("DELETE", f"/pets/{quoted(id_)}", type(None), None)


async def list_companies(subject: Subject, *, page: int = 1, size: int = 20) -> Page[Company]:
    return await subject.get("/legal-entities", Page[Company], {"page": page, "per_page": size})


async def change_name(subject: Subject, text: str) -> None:
    await subject.send("PUT", "/exhibition-name", type(None), {"valor": text})
