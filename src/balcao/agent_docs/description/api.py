"""Routes of the description: the root and the document, for anybody."""

from typing import Any

from litestar import Request, Response

from balcao.agent_docs.description import answers
from balcao.agent_docs.description.published import Published
from balcao.agent_docs.description.schemas import Root
from balcao.agent_docs.operations import operation
from balcao.core.access.rules import public
from balcao.core.http.operations import CurrentCall


@operation(
    "GET", "/", "agent_docs.read_root", public(), "Apresentação da API de agentes", errors=[304], tags=["descrição"]
)
async def read_root(call: CurrentCall, request: Request[Any, Any, Any]) -> Response[Root]:
    return answers.frozen(call.platform.part(Published).root, call, request.headers.get("accept-encoding"))


@operation(
    "GET",
    "/swagger.json",
    "agent_docs.read_description",
    public(),
    "Descrição da API de agentes em OpenAPI 3.1",
    errors=[304],
    tags=["descrição"],
)
async def read_description(call: CurrentCall, request: Request[Any, Any, Any]) -> Response[dict[str, Any]]:
    document = call.platform.part(Published).required_document()
    return answers.frozen(document, call, request.headers.get("accept-encoding"))


ROUTES = [read_root, read_description]
