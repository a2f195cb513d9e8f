"""How each service words a fault. Nothing else knows error bodies."""

from collections.abc import Callable, Mapping
from typing import Annotated, Any

import msgspec
from litestar import Request, Response
from litestar.exceptions import HTTPException, ValidationException

from balcao.core import errors
from balcao.core.errors import BalcaoError
from balcao.core.logs import log

JSON = "application/json"


class ErrorText(msgspec.Struct):
    """{error} of the registry, employability and search."""

    error: str


class CodeMessage(msgspec.Struct):
    """{code, message} of the older jobs."""

    code: int
    message: str


class Detail(msgspec.Struct):
    """{detail} of access, health units and agents."""

    detail: str


class FaultItem(msgspec.Struct):
    loc: Annotated[list[str], msgspec.Meta(examples=[["path", "id"]])]
    msg: Annotated[str, msgspec.Meta(examples=["não tem a forma esperada"])]
    type: Annotated[str, msgspec.Meta(examples=["string_pattern_mismatch"])]


class FaultItems(msgspec.Struct):
    """{detail: [...]}: every fault of the request."""

    detail: list[FaultItem]


class FaultItemWithInput(FaultItem):
    """`input` is null for what was left out; `ctx` holds the bound that was broken, if there is one."""

    input: Annotated[Any, msgspec.Meta(examples=["valor recebido"])]
    ctx: Annotated[dict[str, Any], msgspec.Meta(examples=[{}])]


class FaultItemsWithInput(msgspec.Struct):
    detail: list[FaultItemWithInput]


class Dialect(msgspec.Struct, frozen=True):
    """`body` words a fault; `schema` describes it; `items_schema` where validation answers list items."""

    body: Callable[[BalcaoError], Any]
    schema: type
    items_schema: type | None = None
    items_status: int = 422

    def response(self, fault: BalcaoError) -> Response[bytes]:
        headers = {"Error-Code": fault.code, "Cache-Control": "no-store"} | _extra_headers(fault)
        return Response(
            msgspec.json.encode(self.body(fault)), status_code=fault.status, media_type=JSON, headers=headers
        )

    def missing_body(self) -> BalcaoError:
        text = "O corpo da requisição está vazio: envie um objeto JSON."
        if self.items_schema is None:
            return errors.Invalid(text, code="body-missing")
        return errors.Unprocessable(faults=[{"loc": ["body"], "msg": text, "type": "missing"}])


ERROR_TEXT = Dialect(lambda fault: {"error": fault.message}, ErrorText)
CODE_MESSAGE = Dialect(lambda fault: {"code": fault.status, "message": fault.message}, CodeMessage)
DETAIL = Dialect(lambda fault: {"detail": fault.faults or fault.message}, Detail, FaultItems)
# The agents' examples: the items also say what was received. Only the description differs.
DETAIL_WITH_INPUT = Dialect(DETAIL.body, Detail, FaultItemsWithInput)


def _extra_headers(fault: BalcaoError) -> dict[str, str]:
    headers: dict[str, str] = {}
    if fault.status == 401:
        headers["WWW-Authenticate"] = "Bearer"
    if fault.retry_after is not None:
        headers["Retry-After"] = str(fault.retry_after)
    return headers


def _ours(request: Request[Any, Any, Any], fault: HTTPException) -> BalcaoError:
    if fault.status_code == errors.TooLarge.status:
        worded: BalcaoError = request.scope["route_handler"].opt["operation"].oversize()
        return worded
    return _BY_STATUS.get(fault.status_code, errors.Failed)()


_BY_STATUS: Mapping[int, type[BalcaoError]] = {
    kind.status: kind for kind in (errors.Invalid, errors.NotFound, errors.MethodNotAllowed)
}


def exception_handlers(dialect_of: Callable[[str], Dialect]) -> dict[Any, Any]:
    """For the framework: ours, its own, and everything unforeseen. `dialect_of` is asked with the path."""

    def ours(request: Request[Any, Any, Any], fault: BalcaoError) -> Response[bytes]:
        return dialect_of(request.scope["path"]).response(fault)

    def frameworks(request: Request[Any, Any, Any], fault: HTTPException) -> Response[bytes]:
        dialect = dialect_of(request.scope["path"])
        if isinstance(fault, ValidationException):  # the only value the framework itself checks is a body's presence
            return dialect.response(dialect.missing_body())
        answer = dialect.response(_ours(request, fault))
        if allow := {name.lower(): value for name, value in (fault.headers or {}).items()}.get("allow"):
            answer.headers["Allow"] = allowed_methods(allow)
        return answer

    def unforeseen(request: Request[Any, Any, Any], fault: Exception) -> Response[bytes]:
        log.error("request.failed", operation=request.scope.get("balcao.operation", ""), exc_info=fault)
        return dialect_of(request.scope["path"]).response(errors.Failed())

    return {BalcaoError: ours, HTTPException: frameworks, Exception: unforeseen}


def allowed_methods(listed: str) -> str:
    """What the framework lists, in one order; HEAD comes with GET."""
    methods = {name.strip() for name in listed.split(",")}
    return ", ".join(sorted(methods | ({"HEAD"} if "GET" in methods else set())))
