"""Logs in as a browser does: sends the form of the login page, then exchanges the code for tokens with PKCE."""

import base64
import hashlib
import secrets
from html.parser import HTMLParser
from urllib.parse import parse_qs, urljoin, urlsplit

import httpx

from tests.support.polling import PATIENCE

REDIRECT = "http://127.0.0.1/callback"


class Form(HTMLParser):
    """The first form of a page: its address and the values of its inputs."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.action = ""
        self.values: dict[str, str] = {}
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = dict(attrs)
        if tag == "form" and not self.action:
            self.action = found.get("action") or ""
        if tag == "input" and found.get("name"):
            self.values[str(found["name"])] = found.get("value") or ""


def log_in(
    issuer: str, username: str, password: str, client_id: str = "portal-cidadao", secret: str = ""
) -> dict[str, object]:
    """Log in, and return the token response. Send the client's secret if the client has one."""
    verifier = secrets.token_urlsafe(48)
    endpoint = f"{issuer}/protocol/openid-connect"
    query = {
        "client_id": client_id,
        "redirect_uri": REDIRECT,
        "response_type": "code",
        "scope": "openid profile",
        "state": "s",
        "code_challenge": challenge_of(verifier),
        "code_challenge_method": "S256",
    }
    with httpx.Client(timeout=PATIENCE) as browser:
        page = browser.get(f"{endpoint}/auth", params=query)
        for cookie in browser.cookies.jar:
            cookie.secure = False  # browsers send secure cookies to loopback addresses
        form = Form(page.text)
        filled = form.values | {"username": username, "password": password}
        answer = browser.post(urljoin(str(page.url), form.action) if form.action else str(page.url), data=filled)
        assert "location" in answer.headers, answer.text
        code = parse_qs(urlsplit(answer.headers["location"]).query)["code"][0]
        grant = {"grant_type": "authorization_code", "code": code, "redirect_uri": REDIRECT, "client_id": client_id}
        proof = {"code_verifier": verifier} | ({"client_secret": secret} if secret else {})
        token = browser.post(f"{endpoint}/token", data=grant | proof)
    return dict(token.raise_for_status().json())


def client_token(issuer: str, client_id: str, secret: str) -> str:
    form = {"grant_type": "client_credentials", "client_id": client_id, "client_secret": secret}
    answer = httpx.post(f"{issuer}/protocol/openid-connect/token", data=form, timeout=PATIENCE).raise_for_status()
    return str(answer.json()["access_token"])


def challenge_of(verifier: str) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).rstrip(b"=").decode()
