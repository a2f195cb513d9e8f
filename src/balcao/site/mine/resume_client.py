"""The API operations on the citizen's own résumé. The types contain only the members that the pages use."""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from balcao.web.api import Api, quoted
from balcao.web.person.client import Subject

_JOBS = "/jobs/api/v1/empregabilidade"


class Value(msgspec.Struct):
    id: str
    descricao: str


class Values(msgspec.Struct):
    data: list[Value]


class Experience(msgspec.Struct):
    id: str
    cargo: str
    empresa: str
    tempo_experiencia_meses: int | None = None
    descricao_atividades: str = ""
    eh_trabalho_atual: bool = False
    experiencia_comprovada_ct: bool = False


class Education(msgspec.Struct):
    id: str
    nome_curso: str | None = None
    nome_instituicao: str | None = None
    ano_conclusao: str | None = None
    status: str | None = None
    id_escolaridade: str | None = None
    escolaridade: Value | None = None


class Course(msgspec.Struct):
    id: str
    nome_curso: str
    nome_instituicao: str | None = None
    ano_conclusao: str | None = None


class Language(msgspec.Struct):
    id: str
    id_idioma: str
    id_nivel: str
    idioma: Value | None = None
    nivel: Value | None = None


class Resume(msgspec.Struct):
    experiencias: list[Experience]
    formacoes: list[Education]
    cursos_complementares: list[Course]
    idiomas: list[Language]


async def read_resume(subject: Subject) -> Resume:
    return await subject.api.get(f"{_JOBS}/curriculo/{quoted(subject.cpf.digits)}", Resume)


async def list_values(api: Api, table: str) -> Sequence[Value]:
    """Return the values in one of the city's tables, such as `idiomas`."""
    return (await api.get(f"{_JOBS}/{table}", Values, {"pageSize": 100})).data


async def add(api: Api, part: str, body: Mapping[str, Any], key: str) -> None:
    await api.send("POST", f"{_JOBS}/curriculo/{part}", type(None), body, key=key)


async def change(api: Api, part: str, id_: str, body: Mapping[str, Any]) -> None:
    await api.send("PUT", f"{_JOBS}/curriculo/{part}/{quoted(id_)}", type(None), body)


async def remove(api: Api, part: str, id_: str) -> None:
    await api.send("DELETE", f"{_JOBS}/curriculo/{part}/{quoted(id_)}", type(None))
