"""The API operations on candidates. Every call that returns personal data states a reason for reading it."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

import msgspec

from balcao.panel.jobs.client import BASE, JOBS, Company, Page, Question, Step, Value
from balcao.web.api import Api, Read, quoted
from balcao.web.envelopes import Data

CANDIDATES = f"{BASE}/candidaturas"
# The reason for every read of personal data. People see it in the list of accesses to their data.
REASON = "Seleção para a vaga a que a pessoa se candidatou"


class StepCounts(msgspec.Struct):
    id_etapa: str | None
    titulo: str | None
    ordem: int | None
    total: int
    situacoes: dict[str, int]


class CandidateCounts(msgspec.Struct):
    total: int
    etapas: list[StepCounts]


class Answer(msgspec.Struct):
    id_info: str
    titulo: str
    resposta: str


class Education(msgspec.Struct):
    escolaridade: Value | None = None
    nome_instituicao: str | None = None
    nome_curso: str | None = None
    status: str | None = None
    ano_conclusao: str | None = None


class ResumeLanguage(msgspec.Struct):
    idioma: Value
    nivel: Value


class Course(msgspec.Struct):
    nome_curso: str
    nome_instituicao: str | None = None
    ano_conclusao: str | None = None


class Experience(msgspec.Struct):
    cargo: str
    empresa: str
    descricao_atividades: str = ""
    eh_trabalho_atual: bool = False
    experiencia_comprovada_ct: bool = False
    tempo_experiencia_meses: int = 0


class Achievement(msgspec.Struct):
    titulo: str
    descricao: str | None = None
    tipo_conquista: Value | None = None


class JobSearch(msgspec.Struct):
    situacao: Value | None = None
    disponibilidade: Value | None = None


class Named(msgspec.Struct):
    nome: str = ""


class BehaviourLink(msgspec.Struct):
    comportamento_atitudes: Named | None = None


class SkillLink(msgspec.Struct):
    habilidade: str
    area_atuacao: str


class Resume(msgspec.Struct):
    formacoes: list[Education] = []
    idiomas: list[ResumeLanguage] = []
    cursos_complementares: list[Course] = []
    experiencias: list[Experience] = []
    conquistas: list[Achievement] = []
    situacao_interesses: JobSearch | None = None
    resumo_profissional: str = ""
    comportamento_atitudes: list[BehaviourLink] = []
    area_atuacao_habilidade: list[SkillLink] = []

    @property
    def schooling(self) -> str:
        """Return the highest completed level of education.

        If none is completed, return the highest level, or "–" if none is known.
        """
        known = [each for each in self.formacoes if each.escolaridade is not None]
        if not known:
            return "–"
        completed = [each for each in known if each.status == "Completo"]
        best = max(completed or known, key=lambda each: each.escolaridade.ordem or 0 if each.escolaridade else 0)
        level = best.escolaridade.descricao if best.escolaridade else "–"
        return level if completed or "incompleto" in level.lower() else f"{level} ({(best.status or '').lower()})"

    @property
    def months(self) -> int:
        """Return the total work experience in months, added up over all positions."""
        return sum(each.tempo_experiencia_meses for each in self.experiencias)


class Address(msgspec.Struct):
    bairro: str | None = None
    logradouro: str | None = None
    numero: str | None = None
    complemento: str | None = None
    municipio: str | None = None


class PersonalInfo(msgspec.Struct):
    nome: str | None = None
    nome_social: str | None = None
    email: str | None = None
    celular: str | None = None
    endereco: Address | None = None
    data_nascimento: str | None = None
    escolaridade: str | None = None
    genero: str | None = None
    raca: str | None = None
    renda_familiar: str | None = None
    deficiencia: str | None = None


class JobOfCandidate(msgspec.Struct):
    id: str
    titulo: str
    status: str
    contratante: Company
    etapas: list[Step]
    informacoes_complementares: list[Question]


class Candidate(msgspec.Struct):
    id: str
    cpf: str | None
    nome: str | None
    email: str | None
    id_vaga: str
    status: str
    id_etapa_atual: str | None
    etapa_atual: Step | None
    respostas_info_complementares: list[Answer]
    curriculo_snapshot: Resume | None
    vaga: JobOfCandidate
    created_at: datetime
    updated_at: datetime
    acoes_permitidas: list[str] = []
    personal_info: PersonalInfo | None = None

    @property
    def name(self) -> str:
        """Return the person's social or registered name, else the name in the application, else "Sem nome"."""
        known = self.personal_info
        return (known and (known.nome_social or known.nome)) or self.nome or "Sem nome"

    @property
    def why_without_resume(self) -> str:
        """Explain why there is no resume.

        An erasure clears the name, and the end of the retention period also clears the CPF.
        """
        if self.cpf is None:
            return "Os dados desta candidatura foram apagados: o prazo para guardá-los passou."
        if self.nome is None:
            return "A pessoa pediu que os seus dados fossem apagados."
        return "Esta candidatura chegou sem currículo."

    def answer(self, question: str) -> str:
        """Return the answer to a question, or an empty string if the candidate did not answer it."""
        found = (each.resposta for each in self.respostas_info_complementares if each.id_info == question)
        return next(found, "")


class CandidatePage(Page[Candidate]):
    resumo: dict[str, int]


class CandidateEvent(msgspec.Struct):
    de: str | None
    evento: str
    para: str
    id_etapa_de: str | None
    id_etapa_para: str | None
    em: datetime
    por: str | None
    motivo: str | None


class Failure(msgspec.Struct):
    cpf: str
    code: str
    status: str | None = None


class BulkResult(msgspec.Struct):
    failures: list[Failure]


async def count_candidates(api: Api, job: str) -> CandidateCounts:
    return await api.get(f"{JOBS}/{quoted(job)}/contagens", CandidateCounts)


async def list_candidates(api: Api, query: Mapping[str, Any]) -> CandidatePage:
    return await api.get(CANDIDATES, CandidatePage, query, reason=REASON)


async def read_candidate(api: Api, candidate: str) -> Read[Candidate]:
    return await api.read(f"{CANDIDATES}/{quoted(candidate)}", Candidate, reason=REASON)


async def list_candidate_history(api: Api, candidate: str) -> Data[CandidateEvent]:
    return await api.get(f"{CANDIDATES}/{quoted(candidate)}/historico", Data[CandidateEvent], reason=REASON)


async def decide(api: Api, candidate: str, word: str, motive: str, etag: str) -> None:
    """Approve or reject a candidate. `word` is the last segment of the operation's path."""
    body = {"motivo": motive} if motive else {}
    await api.send("PUT", f"{CANDIDATES}/{quoted(candidate)}/{word}", type(None), body, etag=etag, reason=REASON)


async def reopen(api: Api, candidate: str, etag: str) -> None:
    path, body = f"{CANDIDATES}/{quoted(candidate)}/status", {"status": "candidatura_enviada"}
    await api.send("PUT", path, type(None), body, etag=etag, reason=REASON)


async def set_step(api: Api, candidate: str, step: str | None, etag: str) -> None:
    path, body = f"{CANDIDATES}/{quoted(candidate)}/etapa", {"id_etapa_atual": step}
    await api.send("PUT", path, type(None), body, etag=etag, reason=REASON)


async def set_status_of_many(api: Api, job: str, cpfs: Sequence[str], status: str) -> BulkResult:
    body = {"cpfs": cpfs, "vaga_id": job, "status": status}
    return await api.send("PUT", f"{CANDIDATES}/bulk-status", BulkResult, body, reason=REASON)


async def set_step_of_many(api: Api, job: str, cpfs: Sequence[str], step: str | None) -> BulkResult:
    body = {"cpfs": cpfs, "vaga_id": job, "id_etapa": step}
    return await api.send("PUT", f"{CANDIDATES}/bulk-etapa", BulkResult, body, reason=REASON)
