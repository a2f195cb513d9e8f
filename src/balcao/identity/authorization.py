"""The authorization request: what a client asks of a person's login, checked before anybody types anything."""

import re
import time
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import urlencode, urlsplit

from balcao.identity.clients import may_return_to
from balcao.identity.demo import Client
from balcao.identity.faults import InvalidRequest, Refused
from balcao.identity.realm import Realm
from balcao.identity.store import Session

PEOPLE_SCOPES = ("openid", "profile", "email")
RESPONSE_MODES = ("query", "fragment")
_CHALLENGE = re.compile(r"[A-Za-z0-9_-]{43}")


@dataclass(frozen=True)
class Destination:
    """Where the answer goes. Known good before any error may be sent there."""

    client: Client
    redirect_uri: str
    mode: str
    state: str | None

    def with_answer(self, realm: Realm, answer: Mapping[str, str]) -> str:
        """The address that carries it back; `iss` says who answered (RFC 9207)."""
        state = {} if self.state is None else {"state": self.state}
        encoded = urlencode({**answer, **state, "iss": realm.issuer})
        if self.mode == "fragment":
            return f"{self.redirect_uri}#{encoded}"
        return f"{self.redirect_uri}{'&' if urlsplit(self.redirect_uri).query else '?'}{encoded}"


def destination(realm: Realm, asked: Mapping[str, str]) -> Destination:
    """Raises InvalidRequest: a wrong client or address is told to the person, never sent anywhere."""
    client = realm.clients.get(asked.get("client_id", ""))
    if client is None or "authorization_code" not in client.flows:
        raise InvalidRequest("O aplicativo que pediu o login não é conhecido.")
    redirect_uri = asked.get("redirect_uri", "")
    if not may_return_to(client, redirect_uri):
        raise InvalidRequest("O endereço de retorno não está cadastrado para este aplicativo.")
    mode = asked.get("response_mode", "query")
    return Destination(client, redirect_uri, mode if mode in RESPONSE_MODES else "query", asked.get("state"))


def check(asked: Mapping[str, str]) -> None:
    """Raises Refused, which goes back to the client."""
    if asked.get("response_type") != "code":
        raise Refused("unsupported_response_type", "Somente response_type=code é aceito.")
    if asked.get("response_mode", "query") not in RESPONSE_MODES:
        raise Refused("invalid_request", "response_mode deve ser query ou fragment.")
    for name in ("request", "request_uri"):
        if name in asked:
            raise Refused(f"{name}_not_supported", f"O parâmetro {name} não é aceito.")
    if asked.get("code_challenge_method") != "S256" or not _CHALLENGE.fullmatch(asked.get("code_challenge", "")):
        raise Refused("invalid_request", "PKCE é obrigatório: code_challenge com code_challenge_method=S256.")
    if "\0" in asked.get("nonce", ""):  # the one character that PostgreSQL does not store
        raise Refused("invalid_request", "nonce tem um caractere que não é aceito.")


def usable(session: Session | None, asked: Mapping[str, str]) -> Session | None:
    """None when the person must log in. Raises Refused where the client forbids the page for it."""
    if asked.get("prompt") == "login" or (session is not None and _too_old(session, asked.get("max_age"))):
        session = None
    if session is None and asked.get("prompt") == "none":
        raise Refused("login_required", "A pessoa não está conectada.")
    return session


def _too_old(session: Session, max_age: str | None) -> bool:
    if max_age is None:
        return False
    if not (max_age.isascii() and max_age.isdigit() and len(max_age) <= 9):
        raise Refused("invalid_request", "max_age deve ser um número de segundos.")
    return time.time() - session.started_at >= int(max_age)


async def code_for(realm: Realm, session: Session, client: Client, asked: Mapping[str, str]) -> str:
    """Scopes that are not for people are left out; the token's answer names the granted ones."""
    wanted = asked.get("scope", "").split()
    scope = " ".join(name for name in PEOPLE_SCOPES if name in wanted)
    return await realm.records.grant(
        session, client.client_id, scope, asked.get("nonce"), asked["redirect_uri"], asked["code_challenge"]
    )
