"""A real Keycloak on a loopback port, with the realm file of a release. Tests start, administer and kill it."""

import json
import os
import signal
import subprocess
import zipfile
from pathlib import Path
from typing import Any

import httpx

from balcao_sandbox.identity.demo import Person, people
from tests.support.login import REDIRECT, client_token, log_in
from tests.support.polling import PATIENCE, until_now
from tests.support.server import free_port

REALM_FILE = Path(__file__).parents[2] / "docs/operate/keycloak/realm.json"
REALM = "cidade"
_ADMINISTRATOR = {"username": "prova", "password": "prova-somente"}
# The demo clients whose name in the realm file is different.
_NAMES = {"crm-sandbox": "crm"}


class Keycloak:
    """A Keycloak server, as a context manager. `issuer` is the `iss` claim of the realm's tokens."""

    def __init__(self, archive: Path, folder: Path) -> None:
        with zipfile.ZipFile(archive) as distribution:
            distribution.extractall(folder)
        (self._home,) = folder.glob("keycloak-*")
        self._port = free_port()
        self.address = f"http://127.0.0.1:{self._port}"
        self.issuer = f"{self.address}/realms/{REALM}"

    def __enter__(self) -> "Keycloak":
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.kill()

    def start(self) -> None:
        """Start Keycloak with its existing data, and wait until it responds."""
        environment = os.environ | {
            "JAVA_OPTS_KC_HEAP": "-Xms64m -Xmx512m",
            "KC_BOOTSTRAP_ADMIN_USERNAME": _ADMINISTRATOR["username"],
            "KC_BOOTSTRAP_ADMIN_PASSWORD": _ADMINISTRATOR["password"],
        }
        command = ["sh", "bin/kc.sh", "start-dev", "--http-host=127.0.0.1", f"--http-port={self._port}"]
        with (self._home / "output.log").open("ab") as output:
            self._process = subprocess.Popen(
                command, cwd=self._home, env=environment, stdout=output, stderr=output, start_new_session=True
            )
        until_now(lambda: self._process.poll() is not None or self._answers())
        assert self._process.poll() is None, (self._home / "output.log").read_text()[-2000:]

    def kill(self) -> None:
        """Kill Keycloak and its child processes, to simulate a crash."""
        if self._process.poll() is None:
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()

    def administer(self, method: str, path: str, content: Any = None) -> Any:
        """Call the administration API under `/admin/realms`. Return the response's content, or None if it is empty."""
        address, bearer = (
            f"{self.address}/admin/realms{path}",
            {"Authorization": f"Bearer {self.administrators_token()}"},
        )
        answer = httpx.request(method, address, json=content, headers=bearer, timeout=PATIENCE)
        assert answer.is_success, f"{method} {path}: {answer.status_code} {answer.text[:500]}"
        return answer.json() if answer.content else None

    def administrators_token(self) -> str:
        """Return an administrator's token. It belongs to the realm `master`, not to ours."""
        form = {"grant_type": "password", "client_id": "admin-cli"} | _ADMINISTRATOR
        address = f"{self.address}/realms/master/protocol/openid-connect/token"
        return str(httpx.post(address, data=form, timeout=PATIENCE).raise_for_status().json()["access_token"])

    def import_realm(self, balcao: str) -> None:
        """Import the realm file, with the addresses of this installation instead of the example addresses."""
        text = REALM_FILE.read_text("utf-8").replace("https://balcao.cidade.example", balcao)
        for portal in ("cidadao", "servidor"):
            text = text.replace(f"https://{portal}.cidade.example/callback", REDIRECT)
        self.administer("POST", "", json.loads(text))

    def add_people(self, *added: dict[str, Any]) -> None:
        """Import users in Keycloak's representation."""
        self.administer("POST", f"/{REALM}/partialImport", {"ifResourceExists": "FAIL", "users": added})

    def add_client(self, client_id: str, *scopes: str, **representation: Any) -> None:
        """Add a login client.

        Its secret is its name. The scope `profile` is always included, because a client can request only the scopes
        that it has.
        """
        common = {"clientId": client_id, "secret": client_id, "redirectUris": [REDIRECT], "fullScopeAllowed": False}
        named = {"defaultClientScopes": ["profile", *scopes], "optionalClientScopes": []}
        self.administer("POST", f"/{REALM}/clients", common | named | representation)

    def client(self, client_id: str) -> dict[str, Any]:
        """Return a client and its secret, in Keycloak's representation."""
        (found,) = self.administer("GET", f"/{REALM}/clients?clientId={client_id}")
        return dict(found)

    def change_client(self, client_id: str, **changes: Any) -> None:
        found = self.client(client_id)
        self.administer("PUT", f"/{REALM}/clients/{found['id']}", found | changes)

    def log_in(self, username: str, client_id: str = "portal-cidadao", password: str = "") -> dict[str, Any]:
        """Log in as a browser does, and return the token response. The default password is the username."""
        secret = self.client(client_id)["secret"]
        return dict(log_in(self.issuer, username, password or username, client_id, secret))

    def rotate_keys(self, priority: int) -> None:
        """Add a signing key. The key with the highest priority signs new tokens. Earlier keys stay published."""
        config = {"priority": [str(priority)], "algorithm": ["RS256"], "keySize": ["2048"]}
        key = {
            "name": f"rsa-{priority}",
            "providerId": "rsa-generated",
            "providerType": "org.keycloak.keys.KeyProvider",
        }
        self.administer("POST", f"/{REALM}/components", key | {"config": config})

    def _answers(self) -> bool:
        try:
            return httpx.get(f"{self.address}/realms/master", timeout=PATIENCE).is_success
        except httpx.TransportError:
            return False


class KeycloakTokens:
    """Tokens of the demo people and of the realm file's clients. Each token is fetched once."""

    def __init__(self, keycloak: Keycloak) -> None:
        self._keycloak = keycloak
        self._kept: dict[str, str] = {}

    def person(self, cpf: str) -> str:
        if cpf not in self._kept:
            found = next(person for person in people() if person.cpf == cpf)
            client = "portal-servidor" if found.token_roles else "portal-cidadao"
            self._kept[cpf] = self._keycloak.log_in(found.username, client, found.password)["access_token"]
        return self._kept[cpf]

    def client(self, client_id: str) -> str:
        name = _NAMES.get(client_id, client_id)
        if name not in self._kept:
            secret = self._keycloak.client(name)["secret"]
            self._kept[name] = client_token(self._keycloak.issuer, name, secret)
        return self._kept[name]


def user(username: str, password: str = "", **representation: Any) -> dict[str, Any]:
    """Return a user, in Keycloak's representation, who can log in immediately."""
    credential = {"type": "password", "value": password or username, "temporary": False}
    names = {"username": username, "email": f"{username}@prova.example", "firstName": "Pessoa", "lastName": "de Prova"}
    return names | {"enabled": True, "emailVerified": True, "credentials": [credential]} | representation


def demo_user(person: Person) -> dict[str, Any]:
    """Return a demo person as a user in Keycloak's representation."""
    names = {"firstName": person.given_name, "lastName": person.family_name, "email": person.email}
    rights = {"attributes": {"cpf": [person.cpf]}, "realmRoles": [*person.token_roles, f"default-roles-{REALM}"]}
    return user(person.username, person.password, **names, **rights)
