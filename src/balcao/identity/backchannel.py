"""Where the identity provider, the city's or the embedded one, says that somebody has logged out there."""

from typing import Any

from balcao.core.access.logout_tokens import LogoutTokenRefused, read_logout_token
from balcao.core.context.platform import Platform
from balcao.core.errors import BalcaoError
from balcao.core.http.endpoint import PageEndpoint
from balcao.core.http.requests import Request
from balcao.core.http.responses import NO_STORE, Response
from balcao.core.logs import log
from balcao.gateway.gateway import Mount
from balcao.identity.faults import OAUTH, InvalidRequest
from balcao.identity.forms import MAX_FORM_BYTES, parse_form

PREFIX = "/auth"
PATH = "/backchannel-logout"


def mount(platform: Platform, embedded: Mount | None) -> Mount:
    """Return what is served under `/auth`: this address and, where there is one, the embedded provider."""

    async def receive(request: Request) -> Response[Any]:
        form = parse_form(request.headers.text(b"content-type") or "", request.content)
        token = form.get("logout_token")
        if token is None:
            raise InvalidRequest("Falta logout_token.")
        if not await platform.ended_sessions.record(await read_logout_token(platform.tokens, token)):
            log.warning("identity.logout_refused", code="token-replayed")
            raise LogoutTokenRefused()
        log.info("identity.session_ended")
        return Response(status=200, headers={"Cache-Control": NO_STORE})

    def refuse(_: Request, fault: BalcaoError) -> Response[Any]:
        return OAUTH.response(fault)

    endpoint = PageEndpoint("identity", "identity.backchannel_logout", "POST", receive, refuse, MAX_FORM_BYTES)
    endpoints = [*(embedded.endpoints if embedded else ()), ("POST", PATH, endpoint)]
    return Mount("identity", PREFIX, endpoints, lambda _: OAUTH)
