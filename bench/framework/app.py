"""Some benchmarked operations in FastAPI on uvicorn, as a team that knows FastAPI would write them.

FastAPI and uvicorn replace the server (`balcao.gateway`) and the endpoint compiler (`balcao.core.http`). All other code
is the platform's: the token verifier with its cache, access catalogue, rules, enumeration guard, rates, use cases,
statements, audit events, metrics and log lines. `make bench` compares the responses before it measures.

Where FastAPI offers a choice, the program uses the cheaper one: async dependencies (sync ones run in a thread), an ASGI
middleware (`BaseHTTPMiddleware` copies every response), and bytes where the response needs an ETag anyway.

The program does less than the platform. It has three routes instead of all operations. It does not share the processor
fairly among callers, does not record each client's calls, and writes no audit events for refused calls. uvicorn has no
deadline for a request and no limit on what one address may send at the same time.
"""

import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Annotated

import msgspec
from fastapi import Depends, FastAPI, Header, Request, Response
from fastapi.responses import JSONResponse
from pydantic import BaseModel

from balcao import app as platform_app
from balcao.core.access.caller import Caller
from balcao.core.access.rules import Rule, authenticated, client, decide, own
from balcao.core.context.call import Call
from balcao.core.context.platform import Platform, assemble
from balcao.core.errors import BalcaoError, Forbidden, Unauthenticated
from balcao.core.http.parameters import parse_path_cpf
from balcao.core.values.cpf import Cpf
from balcao.core.values.etags import etag_of, lists_etag
from balcao.registry.consent.preferences import service as preferences
from balcao.registry.crm.events import event_parser
from balcao.registry.crm.events import service as events
from balcao.registry.crm.events.schemas import Acknowledgement
from balcao.settings import Settings
from bench.framework.middleware import RequestMiddleware
from bench.framework.pooled import PooledDatabase
from bench.framework.serving import read_settings, serve

PERSONAL = {"Cache-Control": "no-store, private"}


class TokenStatus(BaseModel):
    """The body of the response to a valid token."""

    status: str


class Allowed:
    """A dependency that admits callers to one operation. It checks token, rule and rate in the platform's order."""

    def __init__(self, platform: Platform, key: str, rule: Rule, kind: str | None) -> None:
        """Use the default rates for operations of this `kind`. None means no rate."""
        self._platform = platform
        self._key = key
        self._rule = rule
        people, machines = platform.settings.default_rates
        self._rate, self._machine_rate = (people[kind], machines[kind]) if kind else ("", "")

    async def __call__(self, request: Request) -> Call:
        """Return the admitted call. Raises Unauthenticated, Forbidden or TooMany."""
        platform, rule = self._platform, self._rule
        caller = await self._find_caller(request.headers.get("authorization"))
        owner = None
        if rule.owner:
            platform.enumeration.refuse_shut(caller.key)
            owner = Cpf.parse_path(request.path_params["cpf"])
        snapshot = platform.catalogue.snapshot
        bound = snapshot.bindings.get(self._key, rule.action)
        decision = decide(rule, bound, caller, owner, snapshot, platform.client_lists)
        if not decision.allowed:
            raise Forbidden()
        if rate := self._machine_rate if caller.is_machine else self._rate:
            platform.limits.spend_here(rate, self._key, caller.key)
        return Call(platform, self._key, request.state.request_id, decision, caller)

    async def _find_caller(self, header: str | None) -> Caller:
        if header is None:
            raise Unauthenticated()
        authorization = header.encode("latin-1")
        tokens = self._platform.tokens
        return tokens.known(authorization) or await tokens.caller(authorization)


def make_app(settings: Settings, database_url: str, *, shares_statements: bool) -> FastAPI:
    """Return the application. Without `shares_statements`, each call runs its own statement."""
    platform = assemble(settings, database_url, serving=True)

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        services = platform_app.choose_services(["registry", "agents"])
        async with platform_app.open_services(platform, services):
            await platform.catalogue.reload()
            if shares_statements:
                yield
                return
            async with PooledDatabase.opened_beside(platform.database) as pooled:
                platform.database = pooled
                yield

    app = FastAPI(title="Balcão", lifespan=lifespan)
    app.add_middleware(RequestMiddleware)

    @app.exception_handler(BalcaoError)
    async def refuse(_: Request, fault: BalcaoError) -> Response:
        headers = {"Error-Code": fault.code, "Cache-Control": "no-store"}
        if fault.status == 401:
            headers["WWW-Authenticate"] = "Bearer"
        return JSONResponse({"error": fault.message}, fault.status, headers)

    @app.get("/agent/readiness", include_in_schema=False)
    async def check_readiness() -> None:
        """Return 200 as soon as the application has started."""

    check = Allowed(platform, "agents.check_token", authenticated(is_fixed=True), "read")

    @app.get("/agent/api/v1/auth", name="agents.check_token", dependencies=[Depends(check)])
    async def check_token(response: Response) -> TokenStatus:
        response.headers["Cache-Control"] = "no-store"
        return TokenStatus(status="ok")

    read = Allowed(platform, "registry.read_preferences", own("preferences:read"), "read")

    @app.get("/registry/v1/citizen/{cpf}/notification-preferences", name="registry.read_preferences")
    async def read_preferences(
        cpf: str, call: Annotated[Call, Depends(read)], if_none_match: Annotated[str | None, Header()] = None
    ) -> Response:
        found = await preferences.read_preferences(call, parse_path_cpf(cpf))
        body = msgspec.json.encode(found)
        etag = etag_of(body)
        headers = {"ETag": etag, **PERSONAL}
        if lists_etag(if_none_match, etag):
            return Response(status_code=304, headers=headers)
        return Response(body, headers=headers, media_type="application/json")

    async def require_crm() -> None:
        events.require_events_configured(platform)

    receive = Allowed(platform, "registry.receive_crm_event", client("CRM_WEBHOOK_CLIENTS"), None)

    @app.post(
        "/registry/v1/webhooks/crm/cidadao",
        name="registry.receive_crm_event",
        status_code=202,
        max_body_size=event_parser.BODY_LIMIT,
        dependencies=[Depends(require_crm)],
    )
    async def receive_event(request: Request, call: Annotated[Call, Depends(receive)]) -> Response:
        # The use case parses the bytes itself, because their digest identifies a repeated event.
        accepted: Acknowledgement = await events.accept_event(call, await request.body())
        return Response(msgspec.json.encode(accepted), 202, PERSONAL, "application/json")

    return app


def main() -> None:
    """Serve with the settings in the environment."""
    settings = read_settings()
    app = make_app(settings, str(settings.database_url), shares_statements="BENCH_SHARED" in os.environ)
    serve(app, settings.port)


if __name__ == "__main__":
    main()
