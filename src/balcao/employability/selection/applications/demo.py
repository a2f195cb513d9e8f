"""The applications of the sandbox, in the states that integrators want to try (rules: employability 7)."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from balcao.core.context.call import operator_call
from balcao.core.context.platform import Platform
from balcao.core.values.clock import utc_now
from balcao.core.values.cpf import Cpf
from balcao.employability.hiring.paths import sandbox_job_id
from balcao.employability.selection.applications import service
from balcao.employability.selection.applications.paths import sandbox_application_id
from balcao.employability.selection.applications.states import ApplicationStatus

SENT, APPROVED, REJECTED = ApplicationStatus.SENT, ApplicationStatus.APPROVED, ApplicationStatus.REJECTED


@dataclass(frozen=True)
class DemoApplication:
    """`name` is what its id is made of; `step` counts from 1, 0 for none."""

    name: str
    cpf: Cpf
    nome: str
    job: str
    status: ApplicationStatus = SENT
    step: int = 0


NAMED = (
    DemoApplication("ana-V1", Cpf("90000000175"), "Ana Beatriz Moreira", "V1", APPROVED, 2),
    DemoApplication("ana-V4", Cpf("90000000175"), "Ana Beatriz Moreira", "V4"),
    DemoApplication("bruno-V1", Cpf("90000000256"), "Bruno Tavares", "V1", REJECTED),
    DemoApplication("carla-V3", Cpf("90000000337"), "Carla Nogueira", "V3"),
    DemoApplication("elisa-V5", Cpf("90000000507"), "Elisa Prado", "V5"),
)


async def load(platform: Platform) -> None:
    """Write the applications that are missing; what somebody tried out stays as it is."""
    call = operator_call(platform, "employability.demo")
    made_at = utc_now() - timedelta(days=12)
    for number, each in enumerate(NAMED):
        await service.restore(
            call,
            sandbox_application_id(each.name),
            each.cpf,
            each.nome,
            sandbox_job_id(each.job),
            each.status,
            each.step,
            made_at + timedelta(minutes=number),
        )


async def examples(_: Platform) -> Mapping[str, Any]:
    """Name an application that was decided on and one that was not."""
    return {
        "candidatura_id": str(sandbox_application_id("ana-V1")),
        "open_candidatura_id": str(sandbox_application_id("elisa-V5")),
    }
