"""The check endpoint for gateways, which finds the original request and decides on it (rules: access 4.6).

The response contains the decision in headers.
"""

import re
from collections.abc import Callable, Mapping
from functools import lru_cache, partial
from ipaddress import IPv6Address, ip_address, ip_network
from math import ceil
from time import time
from typing import Any, NamedTuple
from urllib.parse import quote

import msgspec

from balcao.access.conventions import CATALOGUE_VERSION
from balcao.core.access.caller import Caller, TokenMissing, TokenRefused
from balcao.core.access.decisions import PUBLIC_DECISION, decide_match, is_public
from balcao.core.access.keys import KeyPending
from balcao.core.access.rules import WEBHOOK_CLIENTS, Decision, Reason, Rule
from balcao.core.access.snapshot import Match
from balcao.core.context.headers import AUTHORIZATION
from balcao.core.context.platform import Platform
from balcao.core.errors import BalcaoError, Forbidden, NotFound, TooMany, Unauthenticated, Unavailable
from balcao.core.http.dialects import DETAIL
from balcao.core.http.requests import Request
from balcao.core.http.responses import NO_STORE, Response
from balcao.core.http.sent_headers import SentHeader
from balcao.core.http.unauthenticated_refusals import judge_pending, note_refused_token
from balcao.core.logs import log
from balcao.settings.types import split_list

CHECK = "/api/v1/check"
CHECK_AUTHENTICATION = "/api/v1/check-token"
# Loopback, private and link-local networks.
PRIVATE_NETWORKS = "127.0.0.0/8,10.0.0.0/8,172.16.0.0/12,192.168.0.0/16,::1/128,fc00::/7,fe80::/10"
# Headers in which a gateway sends the original method and URI, if it does not append the path to our URL. Our nginx
# configuration uses the first pair. Traefik and similar proxies use the second pair.
_HEADERS = ((b"x-original-method", b"x-original-uri"), (b"x-forwarded-method", b"x-forwarded-uri"))
# The header in which a gateway sends the caller's address, which is needed to count refusals. Without this header, no
# request gets a 429. All requests would share the gateway's address, so one caller could block the others.
_ADDRESS = b"x-original-address"
_V6_PREFIX = 64  # the network size that counts as one IPv6 caller
ACCESS_DECISION = SentHeader("X-Access-Decision", "`allow` ou `deny`.", "allow")
ACCESS_REASON = SentHeader("X-Access-Reason", "O motivo, um código estável.", "granted")
ACCESS_ACTION = SentHeader("X-Access-Action", "A ação que a requisição exige, se for conhecida.", "iptu:read")
ACCESS_MAPPING = SentHeader("X-Access-Mapping", "O mapeamento que decidiu.", "7")
ACCESS_SUBJECT = SentHeader("X-Access-Subject", "O `sub` de quem chamou, se o token vale.", "0b0f6a52-editora")
DECISION_HEADERS = (
    ACCESS_DECISION,
    ACCESS_REASON,
    ACCESS_ACTION,
    ACCESS_MAPPING,
    ACCESS_SUBJECT,
    CATALOGUE_VERSION,
)
_KNOWN_PEERS = 4096
_ELEVEN_DIGITS = re.compile(r"[0-9]{11}|[0-9]{3}\.[0-9]{3}\.[0-9]{3}-[0-9]{2}")
_REFUSALS: Mapping[Reason, Callable[[], BalcaoError]] = {
    Reason.NO_TOKEN: Unauthenticated,
    Reason.INVALID_TOKEN: partial(TokenRefused, "check"),
    Reason.STALE_SNAPSHOT: Unavailable,
}
_OF_TOKEN = frozenset({Reason.NO_TOKEN, Reason.INVALID_TOKEN})


class CheckedRequest(NamedTuple):
    """A decision, the catalogue version on which it is based, and its inputs.

    After too many refusals, `over` is the number of seconds for which the caller's requests get 429.
    """

    decision: Decision
    version: int = 0
    match: Match | None = None
    caller: Caller | None = None
    over: float = 0.0


async def check_request(platform: Platform, request: Request) -> Response[Any]:
    """Respond whether the gateway's request may pass. Any unexpected error becomes a 503.

    Raises NotFound if the peer is not in a gateway's network.
    """
    try:
        checked = await _check(platform, request, CHECK)
    except KeyPending as pending:
        checked = _judge_pending(platform, request, pending)
    return _pass(checked) if checked.decision.allowed else _refuse(checked)


async def check_token(platform: Platform, request: Request) -> Response[Any]:
    """Respond whether the request's token is valid. The operation itself checks the rights and records refusals.

    Raises NotFound if the peer is not in a gateway's network.
    """
    try:
        checked = await _check(platform, request, CHECK_AUTHENTICATION)
    except KeyPending:  # the operation decides, because it knows the caller's address
        return _pass(CheckedRequest(Decision(Reason.INVALID_TOKEN)))
    return _refuse(checked) if checked.decision.reason in _OF_TOKEN else _pass(checked)


async def _check(platform: Platform, request: Request, asked_at: str) -> CheckedRequest:
    if not _is_gateway(request.peer, platform.settings.access_check_networks or PRIVATE_NETWORKS):
        raise NotFound()
    named = _parse_address(request.headers.text(_ADDRESS) or "")
    request.peer = named or request.peer
    try:
        checked = await _decide(platform, request, _find_original(request, asked_at))
        return checked if named else checked._replace(over=0.0)
    except KeyPending:
        raise
    except Exception as failure:
        log.warning("access.check_failed", code=type(failure).__name__)
        return CheckedRequest(Decision(Reason.STALE_SNAPSHOT))


def _judge_pending(platform: Platform, request: Request, pending: KeyPending) -> CheckedRequest:
    judged = judge_pending(platform.refusals, request, pending, "access")
    if isinstance(judged, TokenRefused):
        note_refused_token(platform.refusals, request, judged, "")
        return CheckedRequest(Decision(Reason.INVALID_TOKEN))
    return CheckedRequest(Decision(Reason.STALE_SNAPSHOT))


@lru_cache(_KNOWN_PEERS)
def _parse_address(text: str) -> str | None:
    """Return the caller's address (for IPv6 its /64 network), or None if the string is not an address."""
    try:
        address = ip_address(text)
    except ValueError:
        return None
    if isinstance(address, IPv6Address) and address.ipv4_mapped is None:
        return str(ip_network(f"{address}/{_V6_PREFIX}", strict=False))
    return str(address.ipv4_mapped if isinstance(address, IPv6Address) else address)


@lru_cache(_KNOWN_PEERS)
def _is_gateway(peer: str, networks: str) -> bool:
    """Return whether the peer is in one of the networks. An IPv6 peer is given as its /64 network."""
    try:
        known = ip_network(peer, strict=False)
    except ValueError:
        return False
    wanted = [ip_network(network, strict=False) for network in split_list(networks)]
    return any(network.version == known.version and network.overlaps(known) for network in wanted)


async def _decide(platform: Platform, request: Request, asked: tuple[str, str] | None) -> CheckedRequest:
    snapshot = platform.catalogue.latest  # use the same version for the whole decision
    match = snapshot.match(*asked) if asked else None
    if match is None:
        return CheckedRequest(Decision(Reason.NO_MAPPING), snapshot.version)
    if is_public(match):
        return CheckedRequest(PUBLIC_DECISION, snapshot.version, match)
    try:
        caller = await _read_token(platform, request, match)
    except TokenRefused as refused:
        over = note_refused_token(platform.refusals, request, refused, match.mapping.operation or "")
        reason = Reason.NO_TOKEN if isinstance(refused, TokenMissing) else Reason.INVALID_TOKEN
        knows_429 = WEBHOOK_CLIENTS not in Rule.with_guard(match.action.key, match.mapping.guard).clients
        return CheckedRequest(Decision(reason), snapshot.version, match, over=over if knows_429 else 0.0)
    try:
        platform.catalogue.require_confirmed()
    except Unavailable:
        return CheckedRequest(Decision(Reason.STALE_SNAPSHOT), snapshot.version, match)
    decision = decide_match(match, caller, snapshot, platform.client_lists)
    return CheckedRequest(decision, snapshot.version, match, caller)


def _find_original(request: Request, asked_at: str) -> tuple[str, str] | None:
    """Return the method and the path of the request to check, or None if the gateway sent no path."""
    path = request.path.decode("latin-1").removeprefix(request.prefix).removeprefix(asked_at)
    if path not in {"", "/"}:
        return request.method, path
    for method, uri in _HEADERS:
        named = request.headers.text(uri)
        if named is not None:
            return request.headers.text(method) or request.method, named
    return None


async def _read_token(platform: Platform, request: Request, match: Match) -> Caller:
    header = request.headers.get(AUTHORIZATION)
    if (caller := platform.tokens.known(header)) is not None:
        return caller
    scopes = Rule.with_guard(match.action.key, match.mapping.guard).scopes
    fixed = platform.fixed_tokens.find(match.mapping.operation, scopes, header, time())
    return fixed or await platform.tokens.caller(header)


def _pass(checked: CheckedRequest) -> Response[Any]:
    return Response(status=200, headers=_describe(checked))


def _refuse(checked: CheckedRequest) -> Response[Any]:
    if checked.over > 0:
        fault: BalcaoError = TooMany(retry_after=ceil(checked.over))
    else:
        fault = _REFUSALS.get(checked.decision.reason, Forbidden)()
    further = DETAIL.response(fault).headers
    body = msgspec.json.encode(DETAIL.body(fault))
    return Response(body, status=fault.status, headers={**further, **_describe(checked)})


def _describe(checked: CheckedRequest) -> dict[str, str]:
    headers = {
        ACCESS_DECISION.name: "allow" if checked.decision.allowed else "deny",
        ACCESS_REASON.name: checked.decision.reason.value,
        CATALOGUE_VERSION.name: str(checked.version),
        "Cache-Control": NO_STORE,
    }
    if checked.match is not None:
        headers |= {ACCESS_ACTION.name: checked.match.action.name, ACCESS_MAPPING.name: str(checked.match.mapping.id)}
    if checked.caller is not None:
        # Some identity providers put the CPF into the subject, so mask it before it leaves the platform.
        subject = _ELEVEN_DIGITS.sub("***", checked.caller.subject)
        headers[ACCESS_SUBJECT.name] = quote(subject, safe="!#$&'()*+,-./:;=?@[]_|~ ")
    return headers
