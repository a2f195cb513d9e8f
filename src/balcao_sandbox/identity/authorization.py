"""Validates a client's authorization request before the person enters a password."""

import re
import time
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import urlencode, urlsplit

from balcao.identity.oauth import InvalidRequest
from balcao_sandbox.identity.clients import accepts_redirect
from balcao_sandbox.identity.demo import Client
from balcao_sandbox.identity.faults import SentBack
from balcao_sandbox.identity.realm import Realm
from balcao_sandbox.identity.store import Session

PEOPLE_SCOPES = ("openid", "profile", "email")
RESPONSE_MODES = ("query", "fragment")
_CHALLENGE = re.compile(r"[A-Za-z0-9_-]{43}")


@dataclass(frozen=True)
class Destination:
    """The validated address to which the provider sends the response or an error."""

    client: Client
    redirect_uri: str
    mode: str
    state: str | None

    def format_redirect(self, realm: Realm, response: Mapping[str, str]) -> str:
        """Return the redirect address, with the response and the issuer (`iss`, RFC 9207) as parameters."""
        state = {} if self.state is None else {"state": self.state}
        encoded = urlencode({**response, **state, "iss": realm.issuer})
        if self.mode == "fragment":
            return f"{self.redirect_uri}#{encoded}"
        return f"{self.redirect_uri}{'&' if urlsplit(self.redirect_uri).query else '?'}{encoded}"


async def find_destination(realm: Realm, parameters: Mapping[str, str]) -> Destination:
    """Validate the address for the response, and return it.

    Raises InvalidRequest for an unknown client or address. This error is shown to the person, and is never sent to the
    address in the request.
    """
    client = await realm.find_client(parameters.get("client_id", ""))
    if client is None or "authorization_code" not in client.flows:
        raise InvalidRequest("O aplicativo que pediu o login não é conhecido.")
    redirect_uri = parameters.get("redirect_uri", "")
    if not accepts_redirect(client, redirect_uri):
        raise InvalidRequest("O endereço de retorno não está cadastrado para este aplicativo.")
    mode = parameters.get("response_mode", "query")
    return Destination(client, redirect_uri, mode if mode in RESPONSE_MODES else "query", parameters.get("state"))


def check_request(client: Client, parameters: Mapping[str, str]) -> None:
    """Validate all parameters except the client and the address.

    Raises SentBack if one of them is not valid.
    """
    if parameters.get("response_type") != "code":
        raise SentBack("unsupported_response_type", "Somente response_type=code é aceito.")
    if parameters.get("response_mode", "query") not in RESPONSE_MODES:
        raise SentBack("invalid_request", "response_mode deve ser query ou fragment.")
    for name in ("request", "request_uri"):
        if name in parameters:
            raise SentBack(f"{name}_not_supported", f"O parâmetro {name} não é aceito.")
    _check_challenge(client, parameters)
    if "\0" in parameters.get("nonce", ""):  # PostgreSQL cannot store this character
        raise SentBack("invalid_request", "nonce tem um caractere que não é aceito.")


def _check_challenge(client: Client, parameters: Mapping[str, str]) -> None:
    """Require an S256 challenge. Only clients with optional PKCE may omit it.

    Raises SentBack if the challenge is missing or not valid.
    """
    method, challenge = parameters.get("code_challenge_method"), parameters.get("code_challenge")
    if method is None and challenge is None and client.pkce == "optional":
        return
    if method != "S256" or not _CHALLENGE.fullmatch(challenge or ""):
        raise SentBack("invalid_request", "PKCE é obrigatório: code_challenge com code_challenge_method=S256.")


def choose_session(session: Session | None, parameters: Mapping[str, str]) -> Session | None:
    """Return the session if it is sufficient. Return None if the person must log in.

    Raises SentBack if `max_age` is not valid, or if a login is necessary but the client does not allow a login page.
    """
    if parameters.get("prompt") == "login" or (session is not None and _is_too_old(session, parameters.get("max_age"))):
        session = None
    if session is None and parameters.get("prompt") == "none":
        raise SentBack("login_required", "A pessoa não está conectada.")
    return session


def _is_too_old(session: Session, max_age: str | None) -> bool:
    if max_age is None:
        return False
    if not (max_age.isascii() and max_age.isdigit() and len(max_age) <= 9):
        raise SentBack("invalid_request", "max_age deve ser um número de segundos.")
    return time.time() - session.started_at >= int(max_age)


async def grant_code(realm: Realm, session: Session, client: Client, parameters: Mapping[str, str]) -> str:
    """Store a grant and return its code.

    If the client requests no scope, all scopes for people are granted. Any other scopes are ignored. The token response
    contains the granted scopes.
    """
    requested = parameters.get("scope", "").split() or PEOPLE_SCOPES
    scope = " ".join(name for name in PEOPLE_SCOPES if name in requested)
    return await realm.records.grant(
        session,
        client.client_id,
        scope,
        parameters.get("nonce"),
        parameters["redirect_uri"],
        parameters.get("code_challenge"),
    )
