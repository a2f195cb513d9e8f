"""The provider without the platform, on the real server. A portal uses it with a browser and a third-party library."""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any, Self
from urllib.parse import parse_qs, urljoin, urlsplit

import httpx
from authlib.common.security import generate_token
from authlib.integrations.requests_client import OAuth2Session
from joserfc import jwt
from joserfc.jwk import KeySet

from balcao.core.access.limits import Limits
from balcao.core.database.pool import Database
from balcao.gateway.application import Application
from balcao.gateway.gateway import Gateway
from balcao.settings import Settings
from balcao_sandbox.identity import provider
from balcao_sandbox.identity.demo import Person, people
from balcao_sandbox.identity.realm import Realm
from tests.support.login import Form
from tests.support.polling import PATIENCE
from tests.support.server import RunningServer
from tests.support.single_services import no_pages

OPTIONS: dict[str, Any] = {"timeout": PATIENCE}
CALLBACK = "http://127.0.0.1:4321/callback"
ANA, DAVI, KLEBER = "90000000175", "90000000418", "90000040126"


class RunningProvider(RunningServer):
    """A server that runs only the identity provider. `realm` is the provider's state."""

    def __init__(self, settings: Settings, database_url: str, *, strict: bool = False, port: int | None = None) -> None:
        self.settings = settings
        database = Database(database_url, size=4)
        http = httpx.AsyncClient(**OPTIONS)
        # With `strict`, guesses are limited as in production, although this provider never runs in production.
        rated = settings.model_copy(update={"profile": "production"}) if strict else settings
        self.realm = Realm(rated, database, Limits(), http)
        gateway = Gateway([provider.mount_realm(self.realm)], no_pages(), lambda: _opened(database, http))
        super().__init__(Application(gateway), port or settings.port)

    @property
    def issuer(self) -> str:
        return self.settings.issuers[0]

    @property
    def metadata(self) -> dict[str, Any]:
        return dict(httpx.get(f"{self.issuer}/.well-known/openid-configuration", **OPTIONS).raise_for_status().json())

    def keys(self) -> KeySet:
        return KeySet.import_key_set(httpx.get(self.metadata["jwks_uri"], **OPTIONS).raise_for_status().json())

    def claims(self, token: str) -> dict[str, Any]:
        return jwt.decode(token, self.keys(), algorithms=["RS256"]).claims

    def token(self, data: Mapping[str, Any], **options: Any) -> httpx.Response:
        return httpx.post(self.metadata["token_endpoint"], data=dict(data), **OPTIONS, **options)


@asynccontextmanager
async def _opened(database: Database, http: httpx.AsyncClient) -> AsyncIterator[None]:
    await database.open()
    try:
        yield
    finally:
        await database.close()
        await http.aclose()


class Portal:
    """A client and one browser. Every step uses the addresses from the discovery document."""

    def __init__(self, running: RunningProvider, client_id: str = "portal-cidadao") -> None:
        self.running = running
        self.metadata = running.metadata
        self.verifier = generate_token(48)
        self.browser = httpx.Client(headers={"Accept": "text/html"}, **OPTIONS)
        self.oauth = OAuth2Session(
            client_id,
            scope="openid profile email",
            redirect_uri=CALLBACK,
            code_challenge_method="S256",
            token_endpoint_auth_method="none",
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.browser.close()
        self.oauth.close()

    def login_url(self, **further: Any) -> str:
        url, self.state = self.oauth.create_authorization_url(
            self.metadata["authorization_endpoint"], code_verifier=self.verifier, **further
        )
        return str(url)

    def page(self, **further: Any) -> httpx.Response:
        return self.browser.get(self.login_url(**further))

    def send(self, page: httpx.Response, **typed: str) -> httpx.Response:
        form = Form(page.text)
        return self.browser.post(urljoin(str(page.url), form.action), data=form.values | typed)

    def log_in(self, cpf: str = ANA, **further: Any) -> str:
        """Log in, and return the address to which the browser is redirected."""
        who = person(cpf)
        answer = self.send(self.page(**further), username=who.cpf, password=who.password)
        return answer.headers["location"]

    def tokens(self, cpf: str = ANA, **further: Any) -> dict[str, Any]:
        return self.exchange(self.log_in(cpf, **further))

    def exchange(self, address: str) -> dict[str, Any]:
        return dict(
            self.oauth.fetch_token(
                self.metadata["token_endpoint"],
                authorization_response=address,
                state=self.state,
                code_verifier=self.verifier,
            )
        )

    def exchange_form(self, address: str, **changes: str) -> dict[str, str]:
        """Return the form that exchanges the code in the address for tokens. `changes` replace the form's fields."""
        return {
            "grant_type": "authorization_code",
            "client_id": "portal-cidadao",
            "code": parse_response(address)["code"],
            "redirect_uri": CALLBACK,
            "code_verifier": self.verifier,
        } | changes


def person(cpf: str) -> Person:
    return next(person for person in people() if person.cpf == cpf)


def parse_response(address: str) -> dict[str, str]:
    """Return the parameters in the query or fragment of an address."""
    parts = urlsplit(address)
    return {name: values[0] for name, values in parse_qs(parts.query or parts.fragment).items()}


def refusal(answer: httpx.Response) -> tuple[int, str]:
    """Return a refusal's status and `Error-Code`. Check the OAuth error in the body or in the redirect address."""
    code = answer.headers["Error-Code"]
    told = parse_response(answer.headers["location"]) if "location" in answer.headers else answer.json()
    assert told["error"] == code.replace("-", "_")
    return answer.status_code, code
