"""The endpoint of a declared operation: check the caller, run the handler, and encode its result."""

from collections.abc import Awaitable
from time import time
from typing import Any

import msgspec

from balcao.core.access.caller import Caller, TokenMissing, TokenRefused
from balcao.core.access.enumeration import NUMBERS
from balcao.core.access.keys import KeyPending
from balcao.core.access.limits import DENIED
from balcao.core.access.missing import describe_refusal
from balcao.core.access.rules import PUBLIC, Decision, Reason, decide
from balcao.core.access.snapshot import Snapshot
from balcao.core.access.writers import Writers
from balcao.core.context.call import Call
from balcao.core.context.headers import AUTHORIZATION
from balcao.core.context.platform import Platform
from balcao.core.context.reasons import ACCESS_REASON
from balcao.core.database.connection_quota import holder
from balcao.core.database.replicas import Replica, count_read
from balcao.core.errors import BalcaoError, Forbidden, NotFound, Unauthenticated
from balcao.core.http.endpoint import AdmitBody, Responding, to_known_error
from balcao.core.http.operations import Operation
from balcao.core.http.parameters import invoker
from balcao.core.http.requests import Request
from balcao.core.http.responses import PERSONAL, Response
from balcao.core.http.routing import parameters_of
from balcao.core.http.unauthenticated_refusals import refuse_token
from balcao.core.logs import log
from balcao.core.telemetry import meter
from balcao.core.values.cpf import Cpf

_UNDECIDED = Decision(Reason.NOT_GRANTED)
_PUBLIC = Decision(Reason.PUBLIC, "public")


class OperationEndpoint:
    """The endpoint of one operation.

    It checks the token, the access rule and the rate limit, parses the arguments, calls the handler, and encodes the
    result.
    """

    allow: str | None = None

    def __init__(self, operation: Operation, service: str, platform: Platform, writers: Writers) -> None:
        self.operation = operation
        self.key = operation.key
        self.service = service
        self.status = operation.status
        self.body_limit = operation.body_limit
        self.admit_body: AdmitBody | None = None if operation.rule.action == PUBLIC else self._limit_body
        self.meter = meter(service, operation.key, operation.method)
        self._platform = platform
        self._names = parameters_of(operation.path)
        self._invoke = invoker(operation.signature, self._names, operation.dialect, operation.too_large)
        self._may_wait = operation.signature.may_wait
        # Operations that stay available during maintenance serve load balancers and gateways, which call on behalf of
        # all callers. Exclude them from fair scheduling, so that their calls do not wait for each other.
        self.waits = self._may_wait and not operation.in_maintenance
        self._cpf_at = self._names.index("cpf") if "cpf" in self._names else None
        self._asks_reason = self._cpf_at is not None or operation.concerns_people
        # Shared caches must not store a response that may be about the caller. A handler that builds its own `Response`
        # sets the header itself.
        is_public = operation.rule.action == PUBLIC
        self._stored_by = {} if is_public else {"Cache-Control": PERSONAL}
        self._asks_by_number = not NUMBERS.isdisjoint(self._names)
        self._writers = writers
        self._may_lag = operation.may_lag and bool(platform.replicas)
        # Only an operation's own rate is counted in Redis, which needs an await. Default rates protect this machine and
        # are counted on it.
        self._waits_for_rate = platform.limits.remote and bool(operation.rate)
        platform.live.follow(self._apply_changes)

    def _apply_changes(self) -> None:
        """Apply the operators' changes: the rates, and whether the service is in maintenance."""
        live = self._platform.live
        self._rate, self._machine_rate = self.operation.rates(self._platform.settings, live.rates)
        self._maintenance = None if self.operation.in_maintenance else live.maintenance.get(self.service)

    def respond(self, request: Request) -> Responding:
        """Answer the request, without awaiting anything if possible."""
        operation, platform = self.operation, self._platform
        if self._maintenance is not None and (closed := self._maintenance.refusal()) is not None:
            return self._refuse_closed(request, closed)
        call = Call(platform, self.key, request.id, _UNDECIDED, None, request.headers)
        try:
            snapshot = platform.catalogue.latest  # use one version for the whole decision, even during a reload
            bound = snapshot.bindings.get(self.key, operation.rule.action)
            if bound == PUBLIC:
                call.decision = _PUBLIC
            else:
                header = request.headers.get(AUTHORIZATION)
                caller = platform.tokens.known(header)
                if caller is None:
                    if header is None:
                        return self._refuse_token(request, TokenMissing("token-missing"))
                    return self._respond_to_new_token(call, request, snapshot, bound)
                self._admit(call, request, caller, snapshot, bound)
            if self._may_lag:
                call.replica = self._choose_replica(call, request, snapshot)
            if self._waits_for_rate:
                return self._respond_within_rate(call, request)
            if rate := self._rate_of(call.caller):
                platform.limits.spend_here(rate, self.key, _name_caller(call, request))
            result = self._invoke(call, request)
        except Exception as fault:
            return self._refuse(call, request, fault)
        if self._may_wait and result.__class__ is not Response:
            return self._finish(call, request, result)
        return self._encode(result)

    async def _limit_body(self, request: Request) -> int:
        """Return how many bytes of the body to read: 0 if the call will be refused.

        The token, the rule, the rate and maintenance are checked. `respond` repeats these checks before it reads the
        body, and then returns the error.
        """
        platform, header = self._platform, request.headers.get(AUTHORIZATION)
        snapshot = platform.catalogue.latest
        bound = snapshot.bindings.get(self.key, self.operation.rule.action)
        if bound == PUBLIC:
            return self.body_limit
        if header is None or (self._maintenance is not None and self._maintenance.refusal() is not None):
            return 0
        call = Call(platform, self.key, request.id, _UNDECIDED, None, request.headers)
        try:
            self._admit(call, request, await self._find_caller(header), snapshot, bound)
            if rate := self._rate_of(call.caller):  # only checked here; counted when the whole body has arrived
                if self._waits_for_rate:
                    await platform.limits.spend(rate, self.key, _name_caller(call, request), amount=0)
                else:
                    platform.limits.spend_here(rate, self.key, _name_caller(call, request), amount=0)
        except Exception:  # `respond` will get and report the same error
            return 0
        return self.body_limit

    async def _find_caller(self, header: bytes) -> Caller:
        """Return the caller of the token. Raises the same errors as `TokenVerifier.caller`."""
        platform = self._platform
        if (known := platform.tokens.known(header)) is not None:
            return known
        fixed = platform.fixed_tokens.find(self.key, self.operation.rule.scopes, header, time())
        return fixed or await platform.tokens.caller(header)

    def _refuse_closed(self, request: Request, closed: BalcaoError) -> Response[Any]:
        """Refuse the call during maintenance.

        No token is verified. A cached token only attributes the call to its client.
        """
        if (caller := self._platform.tokens.known(request.headers.get(AUTHORIZATION))) is not None:
            request.client_key = caller.client_key
        return self.operation.dialect.response(closed)

    def _admit(self, call: Call, request: Request, caller: Caller, snapshot: Snapshot, bound: str) -> None:
        """Check the caller against the operation's rule (rules: access 4.1).

        Raises the error of the first check that fails.
        """
        platform, operation = self._platform, self.operation
        call.caller = caller
        request.client_key = caller.client_key
        if self._asks_by_number:
            platform.enumeration.refuse_shut(caller.key)
        if operation.ready is not None:
            operation.ready(platform)
        owner = None
        if self._cpf_at is not None and operation.rule.owner:
            owner = Cpf.parse_path(request.path_values[self._cpf_at])
        platform.catalogue.require_confirmed()
        call.decision = decide(operation.rule, bound, caller, owner, snapshot, platform.client_lists)
        if call.decision.reason is Reason.NOT_GRANTED:
            raise _Denied(describe_refusal(snapshot, operation.rule, bound, caller))
        if ACCESS_REASON in request.headers:
            call.read_access_reason()
        if self._asks_reason:
            call.require_reason()

    async def _respond_to_new_token(
        self, call: Call, request: Request, snapshot: Snapshot, bound: str
    ) -> Response[Any]:
        """Verify the token first, which may need to fetch signing keys."""
        try:
            caller = await self._find_caller(request.headers[AUTHORIZATION])
        except (TokenRefused, KeyPending) as fault:
            return self._refuse_token(request, fault)
        except Exception as fault:
            return await self._refuse(call, request, fault)
        try:
            self._admit(call, request, caller, snapshot, bound)
            if self._may_lag:
                call.replica = self._choose_replica(call, request, snapshot)
        except Exception as fault:
            return await self._refuse(call, request, fault)
        return await self._respond_within_rate(call, request)

    async def _respond_within_rate(self, call: Call, request: Request) -> Response[Any]:
        limits = self._platform.limits
        try:
            if rate := self._rate_of(call.caller):
                if self._waits_for_rate:
                    await limits.spend(rate, self.key, _name_caller(call, request))
                else:
                    limits.spend_here(rate, self.key, _name_caller(call, request))
            result = self._invoke(call, request)
        except Exception as fault:
            return await self._refuse(call, request, fault)
        if self._may_wait and result.__class__ is not Response:
            return await self._finish(call, request, result)
        return self._encode(result)

    def _rate_of(self, caller: Caller | None) -> str:
        """Return the rate for this caller. A machine has its own rate, because it calls for many people."""
        return self._machine_rate if caller is not None and caller.is_machine else self._rate

    async def _finish(self, call: Call, request: Request, result: Awaitable[Any]) -> Response[Any]:
        holder.set(_name_caller(call, request))  # the quotas for connections and the thread use this name
        try:
            response = self._encode(await result)
        except Exception as fault:
            if call.replica is not None and _may_be_of_replica(fault):
                return await self._repeat_on_primary(call, request, fault)
            return await self._refuse(call, request, fault)
        if call.replica is not None:
            count_read("replica")
        return response

    def _choose_replica(self, call: Call, request: Request, snapshot: Snapshot) -> Replica | None:
        """Return a replica, or None to read from the primary.

        Reads use the primary if the caller may have written the data, or if the caller is unknown because the token is
        not cached.
        """
        platform = self._platform
        caller, header = call.caller, request.headers.get(AUTHORIZATION)
        if caller is None and header is not None:  # a public operation does not identify its caller
            caller = platform.tokens.known(header)
            if caller is None:
                return None
        if caller is not None and self._writers.include(caller, snapshot, platform.client_lists):
            return None
        return platform.replicas.choose()

    async def _repeat_on_primary(self, call: Call, request: Request, fault: Exception) -> Response[Any]:
        """Repeat a read on the primary if the replica failed or does not have the record yet.

        That is safe, because a read changes nothing.
        """
        assert call.replica is not None
        if isinstance(fault, NotFound):
            count_read("unknown")
        else:
            call.replica.suspend()
            count_read("failed")
        call.replica = None
        try:
            result = self._invoke(call, request)
            return self._encode(result if result.__class__ is Response else await result)
        except Exception as further:
            return await self._refuse(call, request, further)

    def _encode(self, result: Any) -> Response[Any]:
        if result.__class__ is Response:
            return result
        body = b"" if result is None else msgspec.json.encode(result)
        return Response(body, status=self.status, headers=self._stored_by)

    def _refuse_token(self, request: Request, fault: TokenRefused | KeyPending) -> Response[Any]:
        operation, refusals = self.operation, self._platform.refusals
        knows_429 = bool(self._machine_rate)
        return refuse_token(refusals, request, operation.dialect, fault, self.service, self.key, knows_429=knows_429)

    async def _refuse(self, call: Call, request: Request, fault: Exception) -> Response[Any]:
        """Record a denied attempt, count a possibly guessed CPF, CNPJ or phone number, and return the error."""
        if isinstance(fault, Unauthenticated):  # a known caller of the wrong kind for this operation
            log.info("request.unauthenticated", operation=self.key, code=fault.code)
        try:
            if isinstance(fault, _Denied):
                await self._record_denial(call, request)
            if self._asks_by_number and call.caller is not None and isinstance(fault, (Forbidden, NotFound)):
                await self._platform.enumeration.count(call.caller.key)
        except Exception as further:
            fault = further
        return self.operation.dialect.response(to_known_error(fault, self.key))

    async def _record_denial(self, call: Call, request: Request) -> None:
        """Record a denied attempt so that the person concerned can see it.

        If one caller makes many attempts, record only the first.
        """
        platform = self._platform
        if not await platform.is_within(*DENIED, _name_caller(call, request)):
            return
        values = dict(zip(self._names, request.path_values, strict=True))
        if self.operation.record_denial is not None:
            await self.operation.record_denial(call, values)
            return
        async with platform.database.connection() as connection:
            subject = Cpf.parse_path(values.get("cpf", ""))
            await platform.audit.record(connection, call, "denied", subject=subject, outcome="denied")


class _Denied(Forbidden):
    """A denial by the operation's rule, not by a use case."""


def _may_be_of_replica(fault: Exception) -> bool:
    """Return whether the primary might respond differently.

    An invalid request causes the same error on every server.
    """
    return not isinstance(fault, BalcaoError) or fault.status >= 500 or isinstance(fault, NotFound)


def _name_caller(call: Call, request: Request) -> str:
    return call.caller.key if call.caller is not None else request.peer
