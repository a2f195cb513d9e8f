"""The page on which developers see the most recent calls of their own client, with the remedy for each refusal.

The page is an ordinary client of the API. It calls `access.list_own_calls` with the token from the form, and
neither stores nor shows the token.
"""

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import httpx
import msgspec

from balcao.core.access.caller import TokenRefused
from balcao.core.access.keys import KeyPending
from balcao.core.context.platform import Platform
from balcao.core.errors import BalcaoError, Unavailable
from balcao.core.http.dialects import ERROR_TEXT
from balcao.core.http.forms import FormData, read_form
from balcao.core.http.refusal_pages import allow_style
from balcao.core.http.requests import Request
from balcao.core.http.responses import HTML, NO_STORE, Response
from balcao.core.http.unauthenticated_refusals import refuse_token
from balcao.core.service import Service
from balcao.developer_portal.operation_pages import ROOTS
from balcao.developer_portal.rules import explain_rule
from balcao.web.templating import make_environment, read_style

PATH = "/docs/pt-BR/chamadas"
MOST_SHOWN = 100
MAX_FORM_BYTES = 16_384
_FILTERS = ("status", "code", "request_id")
_STYLE = read_style("balcao.developer_portal", "portal.css")
_HEADERS = {
    "Content-Security-Policy": allow_style(_STYLE).replace("form-action 'none'", "form-action 'self'"),
    "Cache-Control": NO_STORE,
}


class ShownCall(msgspec.Struct):
    """A call as the operation returns it."""

    at: str
    operation: str
    status: int
    code: str | None
    meaning: str | None
    remedy: str | None
    request_id: str
    duration_ms: float

    @property
    def page(self) -> str:
        """Return the path of the page about the operation."""
        service, _, key = self.operation.partition(".")
        return f"{ROOTS['pt-BR']}/{service}/{key.replace('.', '_')}"

    @property
    def refusal(self) -> str:
        """Return the link to the explanation of the error code.

        All failed token checks share one entry on the page of the operation.
        """
        is_token = self.status == httpx.codes.UNAUTHORIZED and self.code != "unauthenticated"
        code = "token-invalid" if is_token else self.code
        return f"{self.page}#{self.status}-{code}"


class ShownCalls(msgspec.Struct):
    """The operation's response: the most recent calls of a client."""

    client: str
    items: list[ShownCall]


class Refusal(msgspec.Struct):
    """An error response from the operation."""

    detail: Any


class OwnCallsPage:
    """Renders the form and its result. The page explains who may call each operation of `services`."""

    def __init__(self, platform: Platform, services: Sequence[Service]) -> None:
        self._platform = platform
        self._address = f"{platform.settings.base_url}/access/api/v1/clients/me/calls"
        self._services = services
        self._environment = make_environment("balcao.developer_portal")
        self._environment.globals.update(style=_STYLE, lang="pt-BR", path=PATH, most=MOST_SHOWN)

    @cached_property
    def _rules(self) -> dict[str, str]:
        """Map each operation key to a description of who may call the operation."""
        return {
            operation.key: explain_rule(str(operation.rule), "pt-BR")
            for service in self._services
            for operation in service.operations()
        }

    def render_form(self, _: Request) -> Response[str]:
        """Return the page with the empty form."""
        return self._render(FormData())

    async def show_calls(self, request: Request) -> Response[str]:
        """Return the page with the client's calls that match the filters, or with an error."""
        form = read_form(request)
        bearer = f"Bearer {form.first('token').strip()}"
        refusal = await self._refuse(request, bearer)
        if refusal is not None:
            text = "O token não é válido: peça outro, e cole-o inteiro."
            return self._render(form, fault=text, status=refusal.status or 401)
        try:
            return await self._ask(form, bearer, request.id)
        except BalcaoError as fault:
            return self._render(form, fault=fault.message, status=fault.status)

    async def _refuse(self, request: Request, bearer: str) -> Response[Any] | None:
        """Return the refusal for a token that is invalid or cannot be checked yet. Return None for a valid token.

        The refusal counts against the client that sent the form, because this page only passes the token on.
        """
        try:
            await self._platform.tokens.caller(bearer.encode())
        except (TokenRefused, KeyPending) as fault:
            key = "gateway.own_calls"
            return refuse_token(self._platform.refusals, request, ERROR_TEXT, fault, "gateway", key, knows_429=True)
        return None

    async def _ask(self, form: FormData, bearer: str, request_id: str) -> Response[str]:
        asked = {name: typed for name in _FILTERS if (typed := form.first(name).strip())}
        try:
            answer = await self._platform.http.get(
                self._address,
                params={"limit": str(MOST_SHOWN), **asked},
                headers={"Authorization": bearer, "X-Request-ID": request_id},
            )
            if answer.status_code == httpx.codes.OK:
                return self._render(form, found=msgspec.json.decode(answer.content, type=ShownCalls))
            detail = msgspec.json.decode(answer.content, type=Refusal).detail
        except (httpx.HTTPError, msgspec.MsgspecError):
            raise Unavailable() from None
        text = detail if isinstance(detail, str) else "Um dos filtros não tem a forma certa: confira status e código."
        return self._render(form, fault=text, status=answer.status_code)

    def _render(
        self, form: FormData, *, found: ShownCalls | None = None, fault: str = "", status: int = 200
    ) -> Response[str]:
        sent = {name: form.first(name) for name in _FILTERS}
        template = self._environment.get_template("own_calls.html")
        body = template.render(found=found, fault=fault, sent=sent, rules=self._rules if found else {})
        return Response(body.encode(), status=status, media_type=HTML, headers=_HEADERS)
