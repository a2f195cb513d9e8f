"""Routes of the resume's experiences."""

from litestar import Response

from balcao.core.access.rules import authenticated
from balcao.core.http.operations import CurrentCall, operation
from balcao.core.http.responses import personal
from balcao.employability.paths import UuidInPath, path_uuid
from balcao.employability.resume.experiences import service
from balcao.employability.resume.experiences.schemas import Experience


@operation(
    "GET",
    "/api/v1/empregabilidade/curriculo/experiencias/{id:str}",
    "employability.read_experience",
    authenticated().testing(service.READ_ANY),
    "Uma experiência do currículo",
    errors=[304, 400, 404],
    tags=["resume"],
)
async def read_experience(call: CurrentCall, id: UuidInPath) -> Response[Experience]:
    return personal(await service.read_experience(call, path_uuid(id)), call)


ROUTES = [read_experience]
