"""Routes of a unit's risk."""

from litestar import Response

from balcao.core.http.operations import CurrentCall
from balcao.core.http.responses import from_ready
from balcao.health_units.operations import READ, CnesInPath, operation, path_cnes
from balcao.health_units.risk import service
from balcao.health_units.risk.schemas import UnitRisk

CACHE = "private, max-age=30"


@operation(
    "GET",
    "/unidade/{cnes:str}/risco",
    "health_units.read_risk",
    READ,
    "Risco atual de uma unidade de saúde",
    errors=[304, 404, 422],
    rate="50/second",
    machine_rate="500/second",
    tags=["risco"],
)
async def read_risk(call: CurrentCall, cnes: CnesInPath) -> Response[UnitRisk]:
    return from_ready(service.read_risk(call, path_cnes(cnes)), call, CACHE)


ROUTES = [read_risk]
