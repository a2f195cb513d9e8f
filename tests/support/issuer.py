"""An identity provider for tests. It signs any token that a test wants, and publishes its keys over HTTP."""

import json
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs

from joserfc import jwt
from joserfc.jwk import RSAKey

CLIENT = "portal-cidadao"

# The lifetime of tokens, in seconds. A module's token must be valid until all its tests have run, even on a busy
# machine.
LIFETIME = 3600


class Issuer:
    """An issuer on a loopback port, with a discovery document and keys. `address` is its name in the tokens."""

    def __init__(self) -> None:
        self.keys = [new_key()]
        self.secret: str | None = None  # the client secret to check; None accepts any
        self._port = 0
        self.open()
        self.address = f"http://127.0.0.1:{self._port}/realms/test"

    def open(self) -> None:
        """Start responding. If the issuer was closed before, it reuses its address."""
        self._server = ThreadingHTTPServer(("127.0.0.1", self._port), self._handler())
        self._port = self._server.server_port
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()

    def person(self, cpf: str, /, **claims: Any) -> str:
        """Return an access token for a citizen or a member of staff."""
        names = {"name": "Pessoa de Teste", "email": "pessoa@teste.example", "preferred_username": cpf}
        return self.token(
            **{"sub": f"person-{cpf}", "azp": CLIENT, "cpf": cpf, "scope": "openid profile"} | names | claims
        )

    def machine(self, client: str, *scopes: str, **claims: Any) -> str:
        """Return a client-credentials token in Keycloak's format."""
        names = {"client_id": client, "preferred_username": f"service-account-{client}", "typ": "Bearer"}
        return self.token(**{"sub": f"client-{client}", "azp": client, "scope": " ".join(scopes)} | names | claims)

    def login(self, **claims: Any) -> str:
        """Return a token for a person who is logged in but has no CPF."""
        names = {"name": "Pessoa sem CPF", "preferred_username": "pessoa", "sid": "session-1", "typ": "Bearer"}
        return self.token(**{"sub": "login-1", "azp": CLIENT, "scope": "openid profile"} | names | claims)

    def admin(self, cpf: str = "90000040126", **claims: Any) -> str:
        """Return a token for a person with the role `admin`."""
        return self.person(cpf, realm_access={"roles": ["admin"]}, **claims)

    def token(self, *, key: RSAKey | None = None, header: dict[str, Any] | None = None, **claims: Any) -> str:
        key = key or self.keys[-1]
        now = int(time.time())
        content = {"iss": self.address, "aud": "account", "iat": now, "exp": now + LIFETIME} | claims
        names = {"alg": "RS256", "kid": key.kid} | (header or {})
        return jwt.encode({name: value for name, value in names.items() if value is not None}, content, key)

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        issuer = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                if self.path.endswith("/.well-known/openid-configuration"):
                    address = issuer.address
                    endpoints = {"jwks_uri": f"{address}/certs", "token_endpoint": f"{address}/token"}
                    self._answer({"issuer": address} | endpoints)
                else:
                    self._answer({"keys": [key.as_dict(private=False) for key in issuer.keys]})

            def do_POST(self) -> None:
                """Return a token for the named client. Its secret is checked only if the issuer has one."""
                form = parse_qs(self.rfile.read(int(self.headers["Content-Length"])).decode())
                if issuer.secret not in {None, form["client_secret"][0]}:
                    self._answer({"error": "invalid_client"}, 401)
                    return
                self._answer({"access_token": issuer.machine(form["client_id"][0]), "expires_in": 300})

            def _answer(self, document: Any, status: int = 200) -> None:
                body = json.dumps(document).encode()
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_: Any) -> None:
                """Log nothing."""

        return Handler


def new_key() -> RSAKey:
    key = RSAKey.generate_key(2048, {"use": "sig", "alg": "RS256"})
    key.ensure_kid()
    return key


def bearer(token: str) -> dict[str, str]:
    """Return an `Authorization` header with the token."""
    return {"Authorization": f"Bearer {token}"}
