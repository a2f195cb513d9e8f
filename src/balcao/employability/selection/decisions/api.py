"""Routes for staff decisions on applications."""

from balcao.core.context.call import Call
from balcao.core.feature import Feature
from balcao.core.http.decoding import decode
from balcao.core.http.operations import SMALL_BODY
from balcao.employability.hiring.listings.api import scoped
from balcao.employability.hiring.listings.schemas import read_reason
from balcao.employability.hiring.paths import sandbox_job_id
from balcao.employability.routes import ROUTES
from balcao.employability.schemas import Message
from balcao.employability.selection.applications.api import BASE, RATE
from balcao.employability.selection.applications.states import (
    DECIDE,
    DECISIONS,
    ApplicationStatus,
    Event,
    describe_events,
    require_status,
)
from balcao.employability.selection.decisions import service
from balcao.employability.selection.decisions.schemas import (
    BulkResult,
    BulkStatusBody,
    BulkStepBody,
    CandidateStatusBody,
    CandidateStepBody,
    DecisionBody,
    parse_step,
)
from balcao.employability.selection.paths import OpenApplicationInPath

_REACH = (
    "Exige a ação `job_application:decide`; sem `job_listing:any_department`, só alcança as vagas dos próprios órgãos. "
    "Ninguém decide sobre a própria candidatura."
)
_SAME = "A mesma situação outra vez não muda nada e não avisa ninguém."
_MANY = (
    "Tudo em uma transação: quem não tem candidatura à vaga ou não pode mudar vem em `failed_cpfs` e, com o motivo, em "
    "`failures`; os outros mudam."
)

routes = ROUTES.extend(tags=["applications"], body_limit=SMALL_BODY)


def declare_decision(word: str, status: ApplicationStatus, summary: str) -> None:
    """Declare an operation that sets an application to a fixed status."""
    event = DECISIONS[status].event

    @routes.put(
        f"{BASE}/{{id}}/{word}",
        f"employability.{word}_application",
        scoped(DECIDE),
        summary,
        description=f"{describe_events(event)} {_SAME} A pessoa é avisada por e-mail. {_REACH}",
        described_body=DecisionBody,
        example={"motivo": "Perfil da vaga."},
        errors=[400, 404, 409, 412],
        concerns_people=True,
        rate=RATE,
    )
    async def decide(call: Call, id: OpenApplicationInPath, content: bytes) -> Message:
        return await service.set_status(call, id, status, read_reason(content))


declare_decision("approve", ApplicationStatus.APPROVED, "Aprova uma candidatura")
declare_decision("reject", ApplicationStatus.REJECTED, "Reprova uma candidatura")


@routes.put(
    f"{BASE}/{{id}}/status",
    "employability.set_application_status",
    scoped(DECIDE),
    "Muda a situação de uma candidatura",
    description=f"{describe_events(*(row.event for row in DECISIONS.values()))} {_SAME} {_REACH}",
    errors=[409, 412],
    concerns_people=True,
    rate=RATE,
)
async def put_application_status(call: Call, id: OpenApplicationInPath, body: CandidateStatusBody) -> Message:
    return await service.set_status(call, id, require_status(body.status))


@routes.put(
    f"{BASE}/{{id}}/etapa",
    "employability.set_application_step",
    scoped(DECIDE),
    "Muda a etapa de uma candidatura",
    description=(
        "Põe a pessoa em uma etapa da vaga; sem `id_etapa_atual`, em nenhuma. "
        f"{describe_events(Event.SET_STEP, Event.CLEAR_STEP)} {_REACH}"
    ),
    described_body=CandidateStepBody,
    example={"id_etapa_atual": None},
    errors=[409, 412],
    concerns_people=True,
    rate=RATE,
)
async def put_application_step(call: Call, id: OpenApplicationInPath, content: bytes) -> Message:
    body = decode(content, CandidateStepBody) if content.strip() else CandidateStepBody()
    return await service.set_step(call, id, parse_step("id_etapa_atual", body.id_etapa_atual))


@routes.put(
    f"{BASE}/bulk-status",
    "employability.set_status_of_applications",
    scoped(DECIDE),
    "Muda a situação de várias candidaturas de uma vaga",
    description=f"{_MANY} {_SAME} {_REACH}",
    errors=[404],
    concerns_people=True,
    rate=RATE,
)
async def put_status_of_applications(call: Call, body: BulkStatusBody) -> BulkResult:
    return await service.set_status_of_many(call, body)


@routes.put(
    f"{BASE}/bulk-etapa",
    "employability.set_step_of_applications",
    scoped(DECIDE),
    "Muda a etapa de várias candidaturas de uma vaga",
    description=f"{_MANY} As candidaturas precisam estar todas na mesma etapa (409, e nada muda). {_REACH}",
    example={"cpfs": ["90000000175"], "vaga_id": str(sandbox_job_id("V1")), "id_etapa": None},
    errors=[404, 409],
    concerns_people=True,
    rate=RATE,
)
async def put_step_of_applications(call: Call, body: BulkStepBody) -> BulkResult:
    return await service.set_step_of_many(call, body)


FEATURE = Feature(routes=routes.declared)
