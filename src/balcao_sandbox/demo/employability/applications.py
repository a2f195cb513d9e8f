"""The sandbox's applications, in states that integrators can try out (rules: employability 7)."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from balcao.core.context.call import Call, operator_call
from balcao.core.context.platform import Platform
from balcao.core.values.clock import utc_now
from balcao.core.values.cpf import Cpf
from balcao.employability.hiring.listings import service as listings
from balcao.employability.hiring.listings.schemas import JobSummary
from balcao.employability.hiring.paths import sandbox_job_id
from balcao.employability.selection.applications import service
from balcao.employability.selection.applications.schemas import Answer, RestoredApplication
from balcao.employability.selection.applications.states import ApplicationStatus
from balcao.employability.selection.paths import sandbox_application_id
from balcao.employability.terms import service as terms
from balcao_sandbox.demo.employability.cooks import NUMBER, make_cooks

SENT, APPROVED, REJECTED = ApplicationStatus.SENT, ApplicationStatus.APPROVED, ApplicationStatus.REJECTED
GENERATED = 60
# Greater than the CPFs of the registry's invented citizens, so that these are different people.
FIRST_STEM = 900_020_000
FIRST_NAMES = "Alice Breno Cecília Diego Esther Fábio Giovana Hugo Isadora Jonas Lara Murilo".split()
LAST_NAMES = "Aguiar Bezerra Caldas Duarte Evaristo".split()
# The statuses and steps that applications get in rotation. Every status and step occurs, and most applications await a
# decision.
TURNS = (
    (SENT, 0), (SENT, 1), (APPROVED, 3), (SENT, 0), (REJECTED, 1), (SENT, 2), (SENT, 0), (APPROVED, 2),
    (ApplicationStatus.FROZEN, 0), (SENT, 0), (ApplicationStatus.DISCONTINUED, 0), (SENT, 1),
)  # fmt: skip
ANA, BRUNO, CARLA = Cpf("90000000175"), Cpf("90000000256"), Cpf("90000000337")
DAVI, ELISA = Cpf("90000000418"), Cpf("90000000507")
# The people who accepted the terms. Fábio Queiroz did not.
ACCEPTED_TERMS = (ANA, BRUNO, CARLA, DAVI, ELISA)

REASON = "Nesta vaga precisamos de quem já trabalhou com confeitaria."
# A decision or a move follows an application after this time.
DECISION_TAKES = timedelta(days=4)


@dataclass(frozen=True)
class DemoApplication:
    """A demo application. Its id is derived from `name`. `step` counts from 1, and 0 means that it has no step."""

    name: str
    cpf: Cpf
    nome: str
    job: str
    status: ApplicationStatus = SENT
    step: int = 0
    has_resume: bool = False
    reason: str | None = None

    @property
    def id(self) -> UUID:
        return sandbox_application_id(self.name)


NAMED = (
    DemoApplication("ana-V1", ANA, "Ana Beatriz Moreira", "V1", APPROVED, 2, has_resume=True),
    DemoApplication("ana-V4", ANA, "Ana Beatriz Moreira", "V4", has_resume=True),
    DemoApplication("bruno-V1", BRUNO, "Bruno Tavares", "V1", REJECTED, has_resume=True, reason=REASON),
    DemoApplication("carla-V3", CARLA, "Carla Nogueira", "V3", has_resume=True),
    DemoApplication("elisa-V5", ELISA, "Elisa Prado", "V5", has_resume=True),
)


def make_applications() -> Iterator[DemoApplication]:
    """Yield the applications of named people, then those of invented people for the job V1."""
    yield from NAMED
    for number in range(GENERATED):
        status, step = TURNS[number % len(TURNS)]
        name = f"{FIRST_NAMES[number % len(FIRST_NAMES)]} {LAST_NAMES[number // len(FIRST_NAMES)]}"
        yield DemoApplication(f"{number}-V1", Cpf.with_stem(str(FIRST_STEM + number)), name, "V1", status, step)


async def load_demo_applications(platform: Platform) -> None:
    """Accept the terms on behalf of some people, and store missing applications.

    Existing applications do not change.
    """
    call = operator_call(platform, "employability.demo")
    for cpf in ACCEPTED_TERMS:
        await terms.accept_terms(call, cpf)
    wanted = {each.id: each for each in make_applications()}
    missing = await service.list_missing_application_ids(call, list(wanted))
    if missing:
        await _restore(call, [each for id_, each in wanted.items() if id_ in missing])
    cooks = [sandbox_application_id(f"{number}-V9") for number in range(NUMBER)]
    if missing := await service.list_missing_application_ids(call, cooks):
        await _restore_cooks(call, cooks, missing)


async def _restore_cooks(call: Call, ids: Sequence[UUID], missing: Collection[UUID]) -> None:
    """Store missing applications for the job V9. Most of them await a first review by staff."""
    now, job_id = utc_now(), sandbox_job_id("V9")
    async with call.platform.database.connection() as connection:
        found = await listings.list_job_summaries(connection, [job_id], now)
    if job_id not in found:
        return
    job, _ = found[job_id]
    course, years = job.informacoes_complementares
    rows = [
        RestoredApplication(
            id=id_,
            cpf=cook.cpf.digits,
            nome=cook.name,
            email=cook.email,
            job=job_id,
            status=REJECTED if number % 40 == 7 else APPROVED if number % 40 == 9 else SENT,
            step=job.etapas[0].id if number % 11 == 4 else None,
            made_at=now - timedelta(days=9) + timedelta(minutes=47 * number),
            changed_at=now - timedelta(days=9) + timedelta(minutes=47 * number) + DECISION_TAKES,
            has_resume=False,
            resume=cook.resume,
            answers=[
                Answer(course.id, course.titulo, "Sim" if cook.has_course else "Não"),
                Answer(years.id, years.titulo, str(cook.years)),
            ],
        )
        for number, (id_, cook) in enumerate(zip(ids, make_cooks(now - timedelta(days=15)), strict=True))
        if id_ in missing
    ]
    await service.restore_applications(call, rows)


async def _restore(call: Call, wanted: list[DemoApplication]) -> None:
    now = utc_now()
    async with call.platform.database.connection() as connection:
        found = await listings.list_job_summaries(connection, {sandbox_job_id(each.job) for each in wanted}, now)
    made_at = now - timedelta(days=12)
    rows = [
        _describe(each, found[job_id][0], made_at + timedelta(minutes=number))
        for number, each in enumerate(wanted)
        if (job_id := sandbox_job_id(each.job)) in found
    ]
    await service.restore_applications(call, rows)


def _describe(each: DemoApplication, job: JobSummary, made_at: datetime) -> RestoredApplication:
    return RestoredApplication(
        id=each.id,
        cpf=each.cpf.digits,
        nome=each.nome,
        job=job.id,
        status=each.status,
        step=next((step.id for step in job.etapas if step.ordem == each.step), None),
        made_at=made_at,
        changed_at=made_at + DECISION_TAKES,
        reason=each.reason,
        has_resume=each.has_resume,
    )


async def find_application_examples(_: Platform) -> Mapping[str, Any]:
    """Return the ids of one application with a decision and one without."""
    return {
        "candidatura_id": str(sandbox_application_id("ana-V1")),
        "open_candidatura_id": str(sandbox_application_id("elisa-V5")),
    }
