"""The token endpoint: a grant becomes tokens, or one of the errors of RFC 6749, 5.2."""

import base64
import hashlib
import hmac
import re
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from balcao.identity.oauth import InvalidRequest, Refused
from balcao_sandbox.identity import tokens
from balcao_sandbox.identity.clients import Authenticated, authenticate
from balcao_sandbox.identity.realm import Realm, RealmRequest
from balcao_sandbox.identity.store import Credential

# OpenID Connect Core, 3.1.2.1, 5.4 and 11.
_STANDARD_SCOPES = frozenset({"openid", "profile", "email", "address", "phone", "offline_access"})
_VERIFIER = re.compile(r"[A-Za-z0-9._~-]{43,128}")


async def exchange(request: RealmRequest, form: Mapping[str, str]) -> dict[str, Any]:
    """Return the token response to a grant. Raises Refused and its kin, TooMany for guessed secrets."""
    kind = form.get("grant_type", "")
    if not kind:
        raise InvalidRequest("Falta grant_type.")
    if kind not in _GRANTS:
        raise Refused("unsupported_grant_type", f"grant_type deve ser um de: {', '.join(_GRANTS)}.")
    flow, issue = _GRANTS[kind]
    return await issue(request.realm, await authenticate(request, form, flow), form)


async def _grant_client(realm: Realm, caller: Authenticated, form: Mapping[str, str]) -> dict[str, Any]:
    """Grant the scopes asked for, all of the client's when none is asked for.

    The standard scopes of people are ignored, as client libraries send them by default and Keycloak ignores them too.
    Never a refresh token (spec: authentication 3).
    """
    client = caller.client
    requested = set(form.get("scope", "").split()) - (_STANDARD_SCOPES - set(client.scopes))
    if not requested <= set(client.scopes):
        raise Refused("invalid_scope", "O cliente não tem um dos escopos pedidos.")
    return tokens.issue_for_client(realm, client, " ".join(s for s in client.scopes if s in requested or not requested))


async def _grant_code(realm: Realm, caller: Authenticated, form: Mapping[str, str]) -> dict[str, Any]:
    found = await realm.records.exchange_code(
        form.get("code", ""), caller.client, lambda code: _code_matches(code, form, by_secret=caller.by_secret)
    )
    if found is None:
        raise make_invalid_grant()
    return tokens.issue_for_person(realm, caller.client, *found)


def _code_matches(code: Credential, form: Mapping[str, str], *, by_secret: bool) -> bool:
    """Tell whether who began the login exchanges its code: by the verifier of its challenge, else by the secret."""
    verifier = form.get("code_verifier")
    if form.get("redirect_uri") != code.redirect_uri:
        return False
    if code.challenge is None:  # a verifier here would mean that somebody took the challenge out of the request
        return by_secret and verifier is None
    if not _VERIFIER.fullmatch(verifier or ""):
        return False
    challenge = base64.urlsafe_b64encode(hashlib.sha256((verifier or "").encode()).digest()).rstrip(b"=")
    return hmac.compare_digest(challenge, code.challenge.encode())


async def _grant_refresh(realm: Realm, caller: Authenticated, form: Mapping[str, str]) -> dict[str, Any]:
    token = form.get("refresh_token", "")
    found = await realm.records.exchange_refresh(token, caller.client, by_secret=caller.by_secret)
    if found is None:
        raise make_invalid_grant()
    return tokens.issue_for_person(realm, caller.client, *found)


def make_invalid_grant() -> Refused:
    """Return the refusal of a code or refresh token; it does not say why."""
    return Refused("invalid_grant", "O código ou o token de renovação é inválido, expirou ou já foi usado.")


Issue = Callable[[Realm, Authenticated, Mapping[str, str]], Awaitable[dict[str, Any]]]

# The flow that the client must have, and what answers.
_GRANTS: Mapping[str, tuple[str, Issue]] = {
    "client_credentials": ("client_credentials", _grant_client),
    "authorization_code": ("authorization_code", _grant_code),
    "refresh_token": ("authorization_code", _grant_refresh),
}
