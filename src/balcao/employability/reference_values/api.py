"""Routes of the reference values."""

from litestar import Response
from litestar.params import JSONBody

from balcao.core.access.rules import action, authenticated
from balcao.core.http.operations import CurrentCall, operation
from balcao.core.http.responses import stored, with_etag
from balcao.employability.paths import UuidInPath, path_uuid
from balcao.employability.reference_values import service
from balcao.employability.reference_values.kinds import Kind
from balcao.employability.reference_values.schemas import ReferenceBody, ReferenceValue

BASE = "/api/v1/empregabilidade"
# Anybody with a token may read them: to be kept, but asked for again before use.
REVALIDATED = "private, no-cache"


@operation(
    "GET",
    f"{BASE}/{Kind.WORK_MODEL}/{{id:str}}",
    "employability.read_work_model",
    authenticated(),
    "Um modelo de trabalho",
    errors=[304, 400, 404],
    tags=["reference-values"],
)
async def read_work_model(call: CurrentCall, id: UuidInPath) -> Response[ReferenceValue]:
    return with_etag(await service.read_value(call, Kind.WORK_MODEL, path_uuid(id)), call, REVALIDATED)


@operation(
    "PUT",
    f"{BASE}/{Kind.AVAILABILITY}/{{id:str}}",
    "employability.replace_availability",
    action("job_reference:manage"),
    "Altera uma disponibilidade",
    errors=[400, 404, 409, 412],
    body=ReferenceBody,
    rate="60/minute",
    tags=["reference-values"],
)
async def replace_availability(
    call: CurrentCall, id: UuidInPath, data: JSONBody[ReferenceBody]
) -> Response[ReferenceValue]:
    return stored(await service.replace_value(call, Kind.AVAILABILITY, path_uuid(id), data))


ROUTES = [read_work_model, replace_availability]
