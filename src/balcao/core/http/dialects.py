"""The error body of each service. Only this module defines the shape of error bodies."""

from collections.abc import Callable
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from balcao.core import errors
from balcao.core.errors import BalcaoError
from balcao.core.http.responses import NO_STORE, Response


class ErrorText(msgspec.Struct):
    """The error body `{error}`, for the registry, employability, search and the gateway itself."""

    error: Annotated[
        str, Meta(description="O que houve, para pessoas.", examples=["Sem permissão para esta operação."])
    ]


class ErrorAndMessage(msgspec.Struct):
    """The error body `{error, message}`, for operations whose portals display `message` and compare `error`."""

    error: Annotated[
        str,
        Meta(
            description="O que houve: o mesmo que `message`, ou um texto fixo em inglês que os portais comparam.",
            examples=["Sem permissão para esta operação."],
        ),
    ]
    message: Annotated[
        str, Meta(description="O que houve, para pessoas.", examples=["Sem permissão para esta operação."])
    ]


class CodeMessage(msgspec.Struct):
    """The error body `{code, message}`, for the older operations on jobs."""

    code: Annotated[int, Meta(description="O status da resposta.", examples=[404])]
    message: Annotated[str, Meta(description="O que houve, para pessoas.", examples=["Não encontrado."])]


class Detail(msgspec.Struct):
    """The error body `{detail}`, for access, health units and agents."""

    detail: Annotated[str, Meta(description="O que houve, para pessoas.", examples=["Não encontrado."])]


class FaultItem(msgspec.Struct):
    """One fault: its location, message and type."""

    loc: Annotated[list[str], Meta(description="Onde: no caminho, na consulta ou no corpo.", examples=[["path", "id"]])]
    msg: Annotated[str, Meta(description="O que houve, para pessoas.", examples=["não tem a forma esperada"])]
    type: Annotated[str, Meta(description="O tipo de falha, estável.", examples=["string_pattern_mismatch"])]


class FaultItems(msgspec.Struct):
    """The error body `{detail: [...]}`, which lists every fault of the request."""

    detail: Annotated[list[FaultItem], Meta(description="Todas as falhas da requisição.")]


class FaultItemWithInput(FaultItem):
    """A fault with the received value.

    `input` is null if the member was missing. `ctx` contains the violated bound, if there is one.
    """

    input: Annotated[Any, Meta(description="O que foi recebido; nulo se faltou.", examples=["valor recebido"])]
    ctx: Annotated[dict[str, Any], Meta(description="O limite que foi passado, se houver um.", examples=[{}])]


class FaultItemsWithInput(msgspec.Struct):
    """The error body `{detail: [...]}` for the agents' examples. It also contains the received values."""

    detail: Annotated[list[FaultItemWithInput], Meta(description="Todas as falhas da requisição.")]


class Dialect(msgspec.Struct, frozen=True):
    """The error format of a service.

    `body` builds the error body for a fault, and `schema` is the type of that body. `items_schema` is the type of a
    body that lists several faults.
    """

    body: Callable[[BalcaoError], Any]
    schema: type
    items_schema: type | None = None
    items_status: int = 422

    @property
    def lists_faults(self) -> bool:
        """Whether a response lists every fault of a body or query instead of only the first."""
        return self.items_schema is not None

    def response(self, fault: BalcaoError) -> Response[Any]:
        """Return the error response. The header `Error-Code` carries the stable code."""
        headers = {"Error-Code": fault.code, "Cache-Control": NO_STORE, **_list_further_headers(fault)}
        return Response(msgspec.json.encode(self.body(fault)), status=fault.status, headers=headers)

    def missing_body(self) -> BalcaoError:
        """Return the error for a request without a body."""
        text = "O corpo da requisição está vazio: envie um objeto JSON."
        if not self.lists_faults:
            return errors.Invalid(text, code="body-missing")
        return errors.Unprocessable(faults=[{"loc": ["body"], "msg": text, "type": "missing"}])


ERROR_TEXT = Dialect(lambda fault: {"error": fault.message}, ErrorText)
ERROR_AND_MESSAGE = Dialect(
    lambda fault: {"error": fault.compared or fault.message, "message": fault.message, **fault.members}, ErrorAndMessage
)
CODE_MESSAGE = Dialect(lambda fault: {"code": fault.status, "message": fault.message}, CodeMessage)
DETAIL = Dialect(lambda fault: {"detail": fault.faults or fault.message}, Detail, FaultItems)
# Like `DETAIL`, but the described items also contain the received value, for the examples of the agents' interface.
# Only the description differs.
DETAIL_WITH_INPUT = Dialect(DETAIL.body, Detail, FaultItemsWithInput)


def _list_further_headers(fault: BalcaoError) -> dict[str, str]:
    headers: dict[str, str] = {}
    if fault.status == 401:
        headers["WWW-Authenticate"] = "Bearer"
    if fault.retry_after is not None:
        headers["Retry-After"] = str(fault.retry_after)
    if isinstance(fault, errors.MethodNotAllowed):
        headers["Allow"] = fault.allow
    return headers
