"""The token endpoint, which exchanges a grant for tokens. Errors follow RFC 6749, 5.2."""

import base64
import hashlib
import hmac
import re
from collections.abc import Awaitable, Callable, Iterator, Mapping
from typing import Any

from balcao.identity.oauth import InvalidRequest, Refused
from balcao_sandbox.identity import tokens
from balcao_sandbox.identity.clients import Authenticated, authenticate
from balcao_sandbox.identity.realm import Realm, RealmRequest
from balcao_sandbox.identity.store import Credential

# The standard scopes, which OpenID Connect Core defines in 3.1.2.1, 5.4 and 11.
_STANDARD_SCOPES = frozenset({"openid", "profile", "email", "address", "phone", "offline_access"})
_VERIFIER = re.compile(r"[A-Za-z0-9._~-]{43,128}")


async def exchange(request: RealmRequest, form: Mapping[str, str]) -> dict[str, Any]:
    """Authenticate the client and return the token response.

    Raises Refused if the request cannot be granted, and TooMany if an address tries too many wrong secrets.
    """
    kind = form.get("grant_type", "")
    if not kind:
        raise InvalidRequest("Falta grant_type.")
    if kind not in _GRANTS:
        raise Refused("unsupported_grant_type", f"grant_type deve ser um de: {', '.join(_GRANTS)}.")
    flow, issue = _GRANTS[kind]
    return await issue(request.realm, await authenticate(request, form, flow), form)


async def _grant_client(realm: Realm, caller: Authenticated, form: Mapping[str, str]) -> dict[str, Any]:
    """Grant the requested scopes, or all of the client's scopes if it requests none.

    Standard scopes that the client does not have are ignored, as in Keycloak, because client libraries send them by
    default. The response never contains a refresh token (spec: authentication 3).
    """
    client = caller.client
    requested = set(form.get("scope", "").split()) - (_STANDARD_SCOPES - set(client.scopes))
    if not requested <= set(client.scopes):
        raise Refused("invalid_scope", "O cliente não tem um dos escopos pedidos.")
    return tokens.issue_for_client(realm, client, " ".join(s for s in client.scopes if s in requested or not requested))


async def _grant_code(realm: Realm, caller: Authenticated, form: Mapping[str, str]) -> dict[str, Any]:
    mismatches: list[str] = []

    def matches(code: Credential) -> bool:
        mismatches.extend(_find_mismatches(code, form, by_secret=caller.by_secret))
        return not mismatches

    found = await realm.records.exchange_code(form.get("code", ""), caller.client, matches)
    if found is None:
        raise Refused("invalid_grant", mismatches[0]) if mismatches else make_invalid_grant()
    return tokens.issue_for_person(realm, caller.client, *found)


def _find_mismatches(code: Credential, form: Mapping[str, str], *, by_secret: bool) -> Iterator[str]:
    """Yield an error message for each address, verifier or secret that does not match the start of the login."""
    verifier = form.get("code_verifier")
    if form.get("redirect_uri") != code.redirect_uri:
        yield "redirect_uri não é o endereço com que o login começou."
    if code.challenge is None:
        # A verifier without a challenge means that the challenge was removed from the authorization request.
        if not by_secret or verifier is not None:
            yield "O login começou sem code_challenge: envie o segredo do cliente, e nenhum code_verifier."
        return
    challenge = base64.urlsafe_b64encode(hashlib.sha256((verifier or "").encode()).digest()).rstrip(b"=")
    if not _VERIFIER.fullmatch(verifier or "") or not hmac.compare_digest(challenge, code.challenge.encode()):
        yield "code_verifier não é o do code_challenge com que o login começou."


async def _grant_refresh(realm: Realm, caller: Authenticated, form: Mapping[str, str]) -> dict[str, Any]:
    token = form.get("refresh_token", "")
    found = await realm.records.exchange_refresh(token, caller.client, by_secret=caller.by_secret)
    if found is None:
        raise make_invalid_grant()
    return tokens.issue_for_person(realm, caller.client, *found)


def make_invalid_grant() -> Refused:
    """Return the error for a code or refresh token that is unknown, expired or already used.

    It does not reveal which of these applies.
    """
    return Refused("invalid_grant", "O código ou o token de renovação é inválido, expirou ou já foi usado.")


Issue = Callable[[Realm, Authenticated, Mapping[str, str]], Awaitable[dict[str, Any]]]

# For each grant type, the flow that the client must be allowed to use, and the function that issues the tokens.
_GRANTS: Mapping[str, tuple[str, Issue]] = {
    "client_credentials": ("client_credentials", _grant_client),
    "authorization_code": ("authorization_code", _grant_code),
    "refresh_token": ("authorization_code", _grant_refresh),
}
