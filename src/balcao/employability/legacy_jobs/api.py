"""Routes of the older jobs."""

from balcao.core.access.rules import action
from balcao.core.context.call import Call
from balcao.core.http.dialects import CODE_MESSAGE
from balcao.core.http.operations import Routes
from balcao.employability.legacy_jobs import service
from balcao.employability.paths import IntegerInPath
from balcao.employability.schemas import Nothing

BASE = "/api/v1/empregos"


routes = Routes(tags=["legacy-jobs"])


@routes.delete(
    f"{BASE}/{{id}}",
    "employability.remove_legacy_job",
    action("legacy_job:manage"),
    "Retira um emprego da listagem antiga",
    description=(
        "Retira um emprego da listagem anterior às vagas e responde com um objeto vazio. Exige a ação "
        "`legacy_job:manage`. O número não é usado de novo. Os erros desta listagem têm a forma `{code, message}`."
    ),
    dialect=CODE_MESSAGE,
    errors=[400, 404, 412],
    rate="60/minute",
)
async def remove_legacy_job(call: Call, id: IntegerInPath) -> Nothing:
    """Remove a job from the earlier listing."""
    return await service.remove_job(call, id)
