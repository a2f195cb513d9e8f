"""The jobs V1 to V8 of the sandbox, one in each state (rules: employability 7)."""

from collections.abc import Mapping
from datetime import datetime, timedelta
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

HEALTH, SURVEILLANCE = "1100", "1110"
AURORA, HORIZONTE, MARE = "90000001000129", "90000002000173", "12ABC34501DE35"
CLINIC, TRANSPORT = "90000003000118", "90000004000162"
STEPS = [
    NestedStep("Análise do currículo", "Leitura dos currículos recebidos."),
    NestedStep("Entrevista", "Conversa com a equipe."),
    NestedStep("Teste prático", "Um dia na cozinha."),
]
QUESTIONS = [
    QuestionBody("Por que você quer esta vaga?", "resposta_curta", obrigatorio=True),
    QuestionBody("Quantos anos de experiência você tem?", "resposta_numerica", valor_minimo=0, valor_maximo=50),
    QuestionBody("Você pode começar de madrugada?", "selecao_unica", opcoes=["Sim, sempre", "Às vezes", "Não"]),
    QuestionBody("O que você sabe preparar?", "selecao_multipla", opcoes=["Bolos", "Doces", "Salgados, fritos"]),
]


def make_jobs(midnight: datetime) -> list[JobRow]:
    """Return the jobs; their instants hang on this local midnight."""
    month, past = (midnight + timedelta(days=30)).isoformat(), (midnight - timedelta(days=10)).isoformat()
    before = (midnight - timedelta(days=20)).isoformat()
    kitchen = {"etapas": STEPS, "informacoes_complementares": QUESTIONS, "valor_vaga": 2400.0}
    english = LanguageBody(_value(Kind.LANGUAGE, "Inglês"), _value(Kind.LANGUAGE_LEVEL, "Avançado"))
    drafted = {"id_orgao_parceiro": None, "bairro": None, "requisitos": None, "data_limite": None}
    active, frozen, closed = JobStatus.ACTIVE, JobStatus.FROZEN, JobStatus.DISCONTINUED
    open_ = {"data_limite": month, "created_at": before}
    remote = {"acessibilidade_pcd": "exclusivo_pcd", "id_modelo_trabalho": _value(Kind.WORK_MODEL, "Remoto")}
    bilingual = {"data_limite": past, "created_at": before, "idiomas_requisito": [english]}
    return [
        _job("V1", "Confeiteiro", AURORA, HEALTH, active, **open_ | kitchen),
        _job("V2", "Atendente", AURORA, HEALTH, active, **open_, idade_minima=18),
        _job("V3", "Pedreiro", HORIZONTE, HEALTH, frozen, **open_),
        _job("V4", "Recepcionista bilíngue", CLINIC, SURVEILLANCE, active, **bilingual),
        _job("V5", "Assistente", MARE, SURVEILLANCE, active, **open_ | remote),
        _job("V6", "Mestre de obras", HORIZONTE, HEALTH, JobStatus.EDITING, **open_ | drafted),
        _job("V7", "Técnico de enfermagem", CLINIC, SURVEILLANCE, JobStatus.APPROVAL, **open_),
        _job("V8", "Motorista", TRANSPORT, HEALTH, closed, **open_),
    ]


def _job(name: str, title: str, company: str, department: str, status: JobStatus, **members: Any) -> JobRow:
    common: dict[str, Any] = {
        "descricao": f"{title}: vaga de demonstração.",
        "id_regime_contratacao": _value(Kind.CONTRACT_TYPE, "CLT"),
        "id_modelo_trabalho": _value(Kind.WORK_MODEL, "Presencial"),
        "id_orgao_parceiro": department,
        "bairro": "Centro",
        "requisitos": "Experiência na função.",
        "responsabilidades": "As da função.",
    }
    return JobRow(id=sandbox_job_id(name), titulo=title, id_contratante=company, status=status, **common | members)


def _value(kind: Kind, descricao: str) -> str:
    return str(seed_value_id(kind, descricao))


async def load(platform: Platform) -> None:
    """Write the jobs that are missing; what somebody tried out stays as it is."""
    call = operator_call(platform, "employability.demo")
    now = utc_now().astimezone(call.zone)
    jobs = make_jobs(now.replace(hour=0, minute=0, second=0, microsecond=0))
    missing = await service.list_missing_job_ids(call, [job.id for job in jobs])
    await imports.import_rows(platform, IMPORTS[0], [job for job in jobs if job.id in missing])


async def examples(_: Platform) -> Mapping[str, Any]:
    """Name a published job and a draft."""
    return {"vaga_id": str(sandbox_job_id("V1")), "draft_vaga_id": str(sandbox_job_id("V6"))}
