"""The sandbox's jobs V1 to V12, which cover every state (rules: employability 7)."""

import tomllib
from collections.abc import Mapping
from datetime import datetime, timedelta
from importlib.resources import files
from typing import Any

from balcao.core.context.call import operator_call
from balcao.core.context.platform import Platform
from balcao.core.imports import service as imports
from balcao.core.values.clock import utc_now
from balcao.employability.hiring.content.schemas import LanguageBody, NestedStep, QuestionBody
from balcao.employability.hiring.listings.states import JobStatus
from balcao.employability.hiring.paths import sandbox_job_id
from balcao.employability.hiring.transfer import service
from balcao.employability.hiring.transfer.feature import IMPORTS
from balcao.employability.hiring.transfer.schemas import JobRow
from balcao.employability.reference_values.kinds import Kind, seed_value_id

WORK, ECONOMY = "1900", "2600"
AURORA, HORIZONTE, MARE = "90000001000129", "90000002000173", "12ABC34501DE35"
CLINIC, TRANSPORT, QUAY, MARKET = "90000003000118", "90000004000162", "90000005000107", "90000006000151"
TEXTS: Mapping[str, Mapping[str, Any]] = tomllib.loads(
    (files("balcao_sandbox.demo.employability") / "jobs.toml").read_text("utf-8")
)
INTERVIEW = NestedStep("Entrevista", "Conversa com a equipe, de meia hora.")
BAKING = [
    NestedStep("Análise do currículo", "Leitura dos currículos recebidos."),
    INTERVIEW,
    NestedStep("Teste prático", "Um dia na cozinha."),
]
COOKING = [
    NestedStep("Triagem", "Leitura dos currículos e das respostas."),
    INTERVIEW,
    NestedStep("Teste na cozinha", "Duas horas de preparo, com a equipe do almoço."),
]
BAKING_QUESTIONS = [
    QuestionBody("Por que você quer esta vaga?", "resposta_curta", obrigatorio=True),
    QuestionBody("Quantos anos de experiência você tem?", "resposta_numerica", valor_minimo=0, valor_maximo=50),
    QuestionBody("Você pode começar de madrugada?", "selecao_unica", opcoes=["Sim, sempre", "Às vezes", "Não"]),
    QuestionBody("O que você sabe preparar?", "selecao_multipla", opcoes=["Bolos", "Doces", "Salgados, fritos"]),
]
COOKING_QUESTIONS = [
    QuestionBody(
        "Você tem curso de manipulação de alimentos?", "selecao_unica", opcoes=["Sim", "Não"], obrigatorio=True
    ),
    QuestionBody(
        "Há quantos anos você trabalha em cozinha?", "resposta_numerica", valor_minimo=0, valor_maximo=50
    ),
]  # fmt: skip


def make_jobs(midnight: datetime) -> list[JobRow]:
    """Return the jobs. Their times are relative to `midnight`, the start of the current day in the city."""
    last = midnight + timedelta(hours=23, minutes=59, seconds=59)  # a deadline is the end of its day
    month, past = (last + timedelta(days=30)).isoformat(), (last - timedelta(days=10)).isoformat()
    before = (midnight - timedelta(days=20)).isoformat()
    baking = {"etapas": BAKING, "informacoes_complementares": BAKING_QUESTIONS}
    cooking = {
        "etapas": COOKING,
        "informacoes_complementares": COOKING_QUESTIONS,
        "quantidade_estimada_contratacoes": 2,
        "id_escolaridade_minima": _value(Kind.SCHOOLING, "Fundamental completo"),
    }
    english, little_english = (
        LanguageBody(_value(Kind.LANGUAGE, "Inglês"), _value(Kind.LANGUAGE_LEVEL, level))
        for level in ("Avançado", "Básico")
    )
    active, frozen, closed = JobStatus.ACTIVE, JobStatus.FROZEN, JobStatus.DISCONTINUED
    open_ = {"data_limite": month, "created_at": before}
    remote = {"acessibilidade_pcd": "exclusivo_pcd", "id_modelo_trabalho": _value(Kind.WORK_MODEL, "Remoto")}
    # The newest job is on the site's first page, where Bruno finds a job for which he cannot apply.
    newest = {"created_at": (midnight - timedelta(days=19)).isoformat()}
    serving = {"idade_minima": 18, "idiomas_requisito": [little_english]}
    bilingual = {"data_limite": past, "created_at": before, "idiomas_requisito": [english]}
    young = {
        "idade_minima": 16,
        "idade_maxima": 22,
        "id_regime_contratacao": _value(Kind.CONTRACT_TYPE, "Aprendiz"),
        "id_escolaridade_minima": _value(Kind.SCHOOLING, "Médio incompleto"),
    }
    several = {"quantidade_estimada_contratacoes": 8, "etapas": [INTERVIEW]}
    return [
        _job("V1", AURORA, WORK, active, **open_ | baking),
        _job("V2", AURORA, WORK, active, **open_ | newest | serving),
        _job("V3", HORIZONTE, WORK, frozen, **open_),
        _job("V4", CLINIC, ECONOMY, active, **bilingual),
        _job("V5", MARE, ECONOMY, active, **open_ | remote),
        _job("V6", HORIZONTE, None, JobStatus.EDITING, created_at=before),
        _job("V7", CLINIC, ECONOMY, JobStatus.APPROVAL, **open_),
        _job("V8", TRANSPORT, WORK, closed, **open_),
        _job("V9", QUAY, WORK, active, **open_ | cooking),
        _job("V10", MARKET, WORK, active, **open_ | several),
        _job("V11", HORIZONTE, WORK, JobStatus.APPROVAL, **open_, etapas=[INTERVIEW]),
        _job("V12", TRANSPORT, WORK, JobStatus.EDITING, **open_ | young),
    ]


def _job(name: str, company: str, department: str | None, status: JobStatus, **members: Any) -> JobRow:
    common: dict[str, Any] = {
        "id_regime_contratacao": _value(Kind.CONTRACT_TYPE, "CLT"),
        "id_modelo_trabalho": _value(Kind.WORK_MODEL, "Presencial"),
        "id_orgao_parceiro": department,
    }
    described = common | dict(TEXTS[name]) | members
    return JobRow(id=sandbox_job_id(name), id_contratante=company, status=status, **described)


def _value(kind: Kind, descricao: str) -> str:
    return str(seed_value_id(kind, descricao))


async def load_demo_listings(platform: Platform) -> None:
    """Store missing jobs. Existing jobs do not change, so that changes by users remain."""
    call = operator_call(platform, "employability.demo")
    now = utc_now().astimezone(call.zone)
    jobs = make_jobs(now.replace(hour=0, minute=0, second=0, microsecond=0))
    missing = await service.list_missing_job_ids(call, [job.id for job in jobs])
    await imports.import_rows(platform, IMPORTS[0], [job for job in jobs if job.id in missing])


async def find_listing_examples(_: Platform) -> Mapping[str, Any]:
    """Return the ids of one published job and one draft."""
    return {"vaga_id": str(sandbox_job_id("V1")), "draft_vaga_id": str(sandbox_job_id("V6"))}
