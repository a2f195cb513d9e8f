"""`balcao token`: get an access token for a demo client, or for a demo person through the login page."""

import base64
import hashlib
import secrets
import unicodedata
from html.parser import HTMLParser
from typing import Annotated, Any
from urllib.parse import parse_qs, urljoin, urlsplit

import httpx
import typer

from balcao.operate.faults import OperatorFault
from balcao.settings import Settings, remembered
from balcao_sandbox.identity import demo

PORTAL = "portal-cidadao"
CALLBACK = "http://127.0.0.1/callback"
TIMEOUT_SECONDS = 30.0

Who = Annotated[
    str,
    typer.Argument(metavar="QUEM", help="Nome, usuário ou CPF de uma pessoa, ou um cliente (veja `balcao demo`)."),
]
Scope = Annotated[str, typer.Option(help="Escopos separados por espaço. Sem ele, os que o cliente tem.")]
Issuer = Annotated[str, typer.Option(help="Endereço do emissor, quando não é o desta configuração.")]


def token(who: Who, scope: Scope = "", issuer: Issuer = "") -> None:
    """Imprime um token de acesso de uma pessoa ou de um cliente de demonstração."""
    endpoint = f"{issuer.rstrip('/') or Settings.load(finds_trial=True).issuers[0]}/protocol/openid-connect"
    client = next((c for c in demo.clients() if c.client_id == who), None)
    try:
        with httpx.Client(timeout=TIMEOUT_SECONDS) as browser:
            if client:
                response = fetch_client_token(browser, endpoint, client, scope)
            else:
                response = fetch_person_token(browser, endpoint, find_person(who), scope)
    except httpx.TransportError:
        places = "" if issuer else remembered.describe_places()
        raise OperatorFault(
            f"O provedor de identidade não responde em {endpoint}: execute `balcao serve`.{places}"
        ) from None
    print(response["access_token"])


def find_person(who: str) -> demo.Person:
    """Find a demo person by user name, CPF or first name, ignoring accents and case.

    Raises OperatorFault if no person matches.
    """
    wanted = _simplify(who)
    for person in demo.people():
        name = _simplify(person.name)
        if wanted in (person.username, person.cpf, name) or name.startswith(f"{wanted} "):
            return person
    raise OperatorFault("Pessoa ou cliente de demonstração desconhecido: `balcao demo` mostra quem existe.")


def _simplify(text: str) -> str:
    return unicodedata.normalize("NFKD", text.strip()).encode("ascii", "ignore").decode().lower()


def fetch_client_token(browser: httpx.Client, endpoint: str, client: demo.Client, scope: str) -> dict[str, Any]:
    """Request a token with the client credentials flow, and return the provider's response.

    Raises OperatorFault if the provider refuses the request.
    """
    form = {"grant_type": "client_credentials", "client_id": client.client_id, "client_secret": client.secret}
    return _read_token(browser.post(f"{endpoint}/token", data=form | ({"scope": scope} if scope else {})))


def fetch_person_token(browser: httpx.Client, endpoint: str, who: demo.Person, scope: str) -> dict[str, Any]:
    """Log a person in with the authorization code flow and PKCE, and return the provider's response.

    This submits the form on the login page, as a browser would. Raises OperatorFault if the provider refuses the login.
    """
    verifier = secrets.token_urlsafe(48)
    page = browser.get(f"{endpoint}/auth", params=_build_request(verifier, scope or "openid profile"))
    if page.status_code != httpx.codes.OK:
        raise OperatorFault(f"O provedor de identidade recusou o pedido de login (status {page.status_code}).")
    form = _Form(page.text)
    filled = form.fields | {"username": who.username, "password": who.password}
    back = browser.post(urljoin(str(page.url), form.action), data=filled).headers.get("location", "")
    code = parse_qs(urlsplit(back).query).get("code")
    if not code:
        raise OperatorFault("O provedor de identidade não aceitou o login desta pessoa de demonstração.")
    grant = {"grant_type": "authorization_code", "code": code[0], "redirect_uri": CALLBACK, "client_id": PORTAL}
    return _read_token(browser.post(f"{endpoint}/token", data=grant | {"code_verifier": verifier}))


def _build_request(verifier: str, scope: str) -> dict[str, str]:
    challenge = base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).rstrip(b"=").decode()
    return {
        "client_id": PORTAL,
        "redirect_uri": CALLBACK,
        "response_type": "code",
        "scope": scope,
        "state": secrets.token_urlsafe(8),
        "code_challenge": challenge,
        "code_challenge_method": "S256",
    }


def _read_token(response: httpx.Response) -> dict[str, Any]:
    if response.status_code != httpx.codes.OK:
        raise OperatorFault(f"O provedor de identidade não deu o token (status {response.status_code}).")
    token: dict[str, Any] = response.json()
    return token


class _Form(HTMLParser):
    """Parses a page's form: its action, and the initial values of its fields."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.action = ""
        self.fields: dict[str, str] = {}
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = dict(attrs)
        if tag == "form":
            self.action = self.action or found.get("action") or ""
        elif tag == "input" and (name := found.get("name")):
            self.fields[name] = found.get("value") or ""
