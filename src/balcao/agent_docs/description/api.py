"""Routes of the description: the root and the document, for anybody."""

from typing import Any

from balcao.agent_docs.description import answers
from balcao.agent_docs.description.published import Published
from balcao.agent_docs.description.schemas import Root
from balcao.core.access.rules import public
from balcao.core.context.call import Call
from balcao.core.http.dialects import DETAIL
from balcao.core.http.operations import Routes
from balcao.core.http.responses import Response

routes = Routes(tags=["descrição"], dialect=DETAIL)


@routes.get(
    "/",
    "agent_docs.read_root",
    public(),
    "Apresentação da API de agentes",
    errors=[304],
)
async def read_root(call: Call) -> Response[Root]:
    return answers.frozen(call.platform.part(Published).root, call, call.headers.text(b"accept-encoding"))


@routes.get(
    "/swagger.json",
    "agent_docs.read_description",
    public(),
    "Descrição da API de agentes em OpenAPI 3.1",
    errors=[304],
)
async def read_description(call: Call) -> Response[dict[str, Any]]:
    document = call.platform.part(Published).required_document()
    return answers.frozen(document, call, call.headers.text(b"accept-encoding"))
