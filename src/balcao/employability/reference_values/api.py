"""Routes of the reference values."""

from balcao.core.access.rules import action, authenticated
from balcao.core.context.call import Call
from balcao.core.http.operations import Routes
from balcao.core.http.responses import Response, stored, with_etag
from balcao.employability.paths import UuidInPath
from balcao.employability.reference_values import service
from balcao.employability.reference_values.kinds import Kind
from balcao.employability.reference_values.schemas import ReferenceBody, ReferenceValue

BASE = "/api/v1/empregabilidade"
# Anybody with a token may read them: to be kept, but asked for again before use.
REVALIDATED = "private, no-cache"


routes = Routes(tags=["reference-values"])


@routes.get(
    f"{BASE}/{Kind.WORK_MODEL}/{{id}}",
    "employability.read_work_model",
    authenticated(),
    "Um modelo de trabalho",
    errors=[304, 400, 404],
)
async def read_work_model(call: Call, id: UuidInPath) -> Response[ReferenceValue]:
    return with_etag(await service.read_value(call, Kind.WORK_MODEL, id), call, REVALIDATED)


@routes.put(
    f"{BASE}/{Kind.AVAILABILITY}/{{id}}",
    "employability.replace_availability",
    action("job_reference:manage"),
    "Altera uma disponibilidade",
    errors=[400, 404, 409, 412],
    rate="60/minute",
)
async def replace_availability(call: Call, id: UuidInPath, body: ReferenceBody) -> Response[ReferenceValue]:
    return stored(await service.replace_value(call, Kind.AVAILABILITY, id, body))
