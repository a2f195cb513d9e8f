"""Public routes for the root page and the OpenAPI document."""

from typing import Annotated, Any, TypeAlias

from balcao.agent_docs.description.published import Published
from balcao.agent_docs.description.schemas import Root
from balcao.agent_docs.routes import ROUTES
from balcao.core.access.rules import public
from balcao.core.context.call import Call
from balcao.core.feature import Feature
from balcao.core.http.parameters import OfRequest
from balcao.core.http.responses import Response

# Whether the requested path ends with a slash. The relative links on the root page depend on it.
HasSlash: TypeAlias = Annotated[bool, OfRequest(lambda request: request.path.endswith(b"/"))]

routes = ROUTES.extend(tags=["descrição"])


@routes.get(
    "/",
    "agent_docs.read_root",
    public(),
    "Apresentação da API de agentes",
    errors=[304],
)
async def get_root(call: Call, has_slash: HasSlash) -> Response[Root]:
    """Devolve os endereços relativos do documento OpenAPI e dos serviços que ele descreve. Não exige token."""
    published = call.platform.part(Published)
    root = published.root if has_slash else published.root_without_slash
    return root.respond(call)


@routes.get(
    "/swagger.json",
    "agent_docs.read_description",
    public(),
    "Descrição da API de agentes em OpenAPI 3.1",
    errors=[304],
)
async def get_description(call: Call) -> Response[dict[str, Any]]:
    """Devolve o documento OpenAPI da API de agentes, com um exemplo para cada parâmetro e resposta. Não exige token. O
    documento só muda com uma nova versão da plataforma: revalide-o com o `ETag`.
    """
    document = await call.platform.part(Published).read_document()
    return document.respond(call)


FEATURE = Feature(routes=routes.declared)
