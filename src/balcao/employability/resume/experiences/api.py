"""Routes of the resume's experiences."""

from balcao.core.access.rules import authenticated
from balcao.core.context.call import Call
from balcao.core.http.operations import Routes
from balcao.core.http.responses import Response, personal
from balcao.employability.paths import UuidInPath
from balcao.employability.resume.experiences import service
from balcao.employability.resume.experiences.schemas import Experience

routes = Routes(tags=["resume"])


@routes.get(
    "/api/v1/empregabilidade/curriculo/experiencias/{id}",
    "employability.read_experience",
    authenticated().testing(service.READ_ANY),
    "Uma experiência do currículo",
    description=(
        "Devolve uma experiência do próprio currículo. Quem tem a ação `resume:read_any` lê as de outras pessoas, com "
        "o CPF mascarado e registro na auditoria; para os demais, a de outra pessoa não existe (404)."
    ),
    errors=[304, 400, 404],
)
async def read_experience(call: Call, id: UuidInPath) -> Response[Experience]:
    """Return an experience of the caller's own resume, or of another person's to staff who may."""
    return personal(await service.read_experience(call, id), call)
