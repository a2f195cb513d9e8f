"""Routes of the older jobs."""

from balcao.core.access.rules import action
from balcao.core.http.dialects import CODE_MESSAGE
from balcao.core.http.operations import CurrentCall, operation
from balcao.employability.legacy_jobs import service
from balcao.employability.paths import IntegerInPath, path_integer
from balcao.employability.schemas import Nothing

BASE = "/api/v1/empregos"


@operation(
    "DELETE",
    f"{BASE}/{{id:str}}",
    "employability.remove_legacy_job",
    action("legacy_job:manage"),
    "Retira um emprego da listagem antiga",
    dialect=CODE_MESSAGE,
    errors=[400, 404, 412],
    rate="60/minute",
    tags=["legacy-jobs"],
)
async def remove_legacy_job(call: CurrentCall, id: IntegerInPath) -> Nothing:
    return await service.remove_job(call, path_integer(id))


ROUTES = [remove_legacy_job]
