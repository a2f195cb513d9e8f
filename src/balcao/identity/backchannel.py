"""The endpoint to which the identity provider (the city's own or the embedded one) reports a logout."""

from typing import Any

from balcao.core.access.caller import TokenRefused
from balcao.core.access.keys import KeyPending
from balcao.core.access.logout_tokens import LogoutTokenRefused, read_logout_token
from balcao.core.context.platform import Platform
from balcao.core.errors import BalcaoError
from balcao.core.http.endpoint import PageEndpoint
from balcao.core.http.requests import Request
from balcao.core.http.responses import NO_STORE, Response
from balcao.core.http.unauthenticated_refusals import judge_pending, note_refused_token, refuse_often
from balcao.core.logs import log
from balcao.gateway.gateway import Mount
from balcao.identity.oauth import MAX_FORM_BYTES, OAUTH, InvalidRequest, parse_form

PREFIX = "/auth"
PATH = "/backchannel-logout"
KEY = "identity.backchannel_logout"


def mount_backchannel(platform: Platform, embedded: Mount | None) -> Mount:
    """Return the mount for `/auth`: this endpoint, and the endpoints of the embedded provider if there is one."""

    async def receive(request: Request) -> Response[Any]:
        form = parse_form(request.headers.text(b"content-type") or "", request.content)
        token = form.get("logout_token")
        if token is None:
            raise InvalidRequest("Falta logout_token.")
        if not await platform.ended_sessions.record(await read_logout_token(platform.tokens, token)):
            raise LogoutTokenRefused(TokenRefused("token-replayed"))
        log.info("identity.session_ended")
        return Response(status=200, headers={"Cache-Control": NO_STORE})

    def refuse(request: Request, fault: BalcaoError) -> Response[Any]:
        """Refuse a request without stating the reason, because any caller can send one.

        The reason is logged, at a limited rate.
        """
        if isinstance(fault, KeyPending):
            judged = judge_pending(platform.refusals, request, fault, "identity")
            fault = LogoutTokenRefused(judged) if isinstance(judged, TokenRefused) else judged
        if isinstance(fault, LogoutTokenRefused):
            over = note_refused_token(platform.refusals, request, fault.refused, KEY, "identity.logout_refused")
            if over > 0:
                return refuse_often(OAUTH, over)
        return OAUTH.response(fault)

    endpoint = PageEndpoint("identity", KEY, "POST", receive, refuse, MAX_FORM_BYTES)
    endpoints = [*(embedded.endpoints if embedded else ()), ("POST", PATH, endpoint)]
    return Mount("identity", PREFIX, endpoints, lambda _: OAUTH)
