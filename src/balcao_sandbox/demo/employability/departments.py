"""The departments that offer the sandbox's jobs, as in the sandbox's registry (rules: employability 7)."""

from balcao.core.context.call import operator_call
from balcao.core.context.platform import Platform
from balcao.employability.hiring.departments import service
from balcao.employability.hiring.departments.schemas import Department

WORK = Department("1900", "1900", "Secretaria de Trabalho", "SMTE")
ECONOMY = Department("2600", "2600", "Secretaria de Desenvolvimento Econômico", "SMDE")


async def load_demo_department_copies(platform: Platform) -> None:
    """Store the departments without calling the registry, because the registry may start later."""
    call = operator_call(platform, "employability.demo")
    for department in (WORK, ECONOMY):
        await service.save_department(call, department)
