"""The sandbox's older jobs (rules: employability 7)."""

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

import msgspec

from balcao.core.context.call import Call, operator_call
from balcao.core.context.platform import Platform
from balcao.core.values.clock import utc_now
from balcao.employability.legacy_jobs import service as legacy_jobs
from balcao.employability.legacy_jobs.schemas import LegacyJob, LegacyJobBody
from balcao.employability.legacy_jobs.states import LegacyJobStatus
from balcao.employability.reference_values.kinds import Kind, seed_value_id


async def load_demo_legacy_jobs(platform: Platform) -> None:
    """Create the older jobs unless there already are some."""
    call = operator_call(platform, "employability.demo")
    if not await legacy_jobs.list_job_ids(call):
        await _load_jobs(call)


async def find_legacy_job_examples(platform: Platform) -> Mapping[str, Any]:
    """Return ids for trying out operations. Omit `job_id` if there are no older jobs."""
    call = operator_call(platform, "employability.demo")
    jobs = await legacy_jobs.list_job_ids(call)
    return {
        "work_model_id": str(seed_value_id(Kind.WORK_MODEL, "Remoto")),
        "availability_id": str(seed_value_id(Kind.AVAILABILITY, "Imediato")),
        **({"job_id": str(jobs[-1])} if jobs else {}),
    }


async def _load_jobs(call: Call) -> None:
    """Create one job in each status, a deleted job, and a job whose deadline has passed."""
    # The end of the current day in the city. Deadlines are relative to the day of the first start.
    last = utc_now().astimezone(call.zone).replace(hour=23, minute=59, second=59, microsecond=0)
    opened = _describe_job(
        "Auxiliar de cozinha", LegacyJobStatus.OPEN, data_limite_candidatura=last + timedelta(days=30)
    )
    under_review = _describe_job(
        "Jardineiro", LegacyJobStatus.OPEN, turno="MANHA", data_limite_candidatura=last + timedelta(days=5)
    )
    closed = _describe_job("Operador de caixa", LegacyJobStatus.OPEN, numero_vagas=4)
    await legacy_jobs.create_legacy_job(
        call, _describe_job("Monitor de oficinas", LegacyJobStatus.CREATED, jornada_trabalho="MEIO_PERIODO")
    )
    await legacy_jobs.create_legacy_job(call, opened)
    for body, status in ((under_review, LegacyJobStatus.UNDER_REVIEW), (closed, LegacyJobStatus.CLOSED)):
        id_ = await _create_job(call, body)
        await legacy_jobs.replace_legacy_job(call, id_, msgspec.structs.replace(body, status=status))
    await legacy_jobs.remove_job(call, await _create_job(call, _describe_job("Vigia noturno", LegacyJobStatus.OPEN)))
    past = _describe_job("Vendedor temporário", LegacyJobStatus.OPEN, data_limite_candidatura=last - timedelta(days=10))
    await legacy_jobs.create_legacy_job(call, past)


async def _create_job(call: Call, body: LegacyJobBody) -> int:
    return msgspec.json.decode(await legacy_jobs.create_legacy_job(call, body), type=LegacyJob).id


def _describe_job(titulo: str, status: LegacyJobStatus, **fields: Any) -> LegacyJobBody:
    common: dict[str, Any] = {
        "descricao": f"{titulo} em dois postos da prefeitura, com contrato de trabalho e vale-transporte.",
        "orgao_id": "1900",
        "escolaridade_id": 4,
        "numero_vagas": 2,
        "salario_min": 1600,
        "salario_max": 2100,
    }
    return LegacyJobBody(titulo, "CLT", status, **common | fields)
