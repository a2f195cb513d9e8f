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
# Anybody with a token may read them: a cache may store them, and revalidates them before use.
REVALIDATED = "private, no-cache"


routes = Routes(tags=["reference-values"])


@routes.get(
    f"{BASE}/{Kind.WORK_MODEL}/{{id}}",
    "employability.read_work_model",
    authenticated(),
    "Um modelo de trabalho",
    description=(
        "Devolve um dos modelos de trabalho (remoto, presencial, híbrido) que vagas e currículos usam. Basta um token "
        "válido. Guarde a resposta e revalide-a com o `ETag`: os valores mudam raramente."
    ),
    errors=[304, 400, 404],
)
async def read_work_model(call: Call, id: UuidInPath) -> Response[ReferenceValue]:
    """Return a work model."""
    return with_etag(await service.read_value(call, Kind.WORK_MODEL, id), call, REVALIDATED)


@routes.put(
    f"{BASE}/{Kind.AVAILABILITY}/{{id}}",
    "employability.replace_availability",
    action("job_reference:manage"),
    "Altera uma disponibilidade",
    description=(
        "Troca o texto de uma disponibilidade e devolve o registro gravado. Exige a ação `job_reference:manage`. Os "
        "demais membros do corpo são ignorados; um texto que outra disponibilidade já tem, sem distinguir maiúsculas e"
        " acentos, é 409. Com `If-Match`, a mudança só vale sobre o estado lido."
    ),
    example={"descricao": "Imediata"},
    errors=[400, 404, 409, 412],
    rate="60/minute",
)
async def replace_availability(call: Call, id: UuidInPath, body: ReferenceBody) -> Response[ReferenceValue]:
    """Replace the text of an availability."""
    return stored(await service.replace_value(call, Kind.AVAILABILITY, id, body))
