"""Clients that developers create for themselves in the trial: validation, limits and ownership.

A secret is shown only once, to its owner, and the database stores only its hash. Ids are never reused, so that no
client inherits a deleted client's calls and tokens.
"""

import hashlib
import hmac
import re
import secrets
from collections.abc import Mapping
from urllib.parse import urlsplit

import msgspec

from balcao.core.database.pool import Database
from balcao.core.errors import Conflict, NotFound
from balcao.identity.oauth import InvalidRequest
from balcao.settings import TEST_CLIENTS
from balcao_sandbox.identity import client_store, demo
from balcao_sandbox.identity.client_store import DeveloperClient, ProvenClient
from balcao_sandbox.identity.demo import LONGEST_ACCESS_SECONDS, LONGEST_REFRESH_SECONDS, Client
from balcao_sandbox.identity.records import make_secret

MOST_CLIENTS = 10
MOST_ADDRESSES = 5
SHORTEST_SECONDS = 30
LOOPBACK = frozenset({"127.0.0.1", "::1", "localhost"})
_ID = re.compile(rf"{TEST_CLIENTS}[0-9a-f]{{16}}")
# Forbidden are characters outside printable ASCII, and characters that start a fragment, separate user information, act
# as a wildcard, or delimit markup in HTML.
_FORBIDDEN_CHARACTERS = re.compile(r"""[^!-~]|[\\@#*<>"']""")
_LONGEST_NAME = 60
_LONGEST_ADDRESS = 200


class TooManyClients(Conflict):
    """Raised if the developer already has the maximum number of clients."""

    default_code = "too-many-clients"

    def __init__(self) -> None:
        super().__init__(f"São no máximo {MOST_CLIENTS} clientes por pessoa: encerre um antes.")


class ClientUnknown(NotFound):
    """Raised if the client does not exist or belongs to another developer."""

    default_code = "client-unknown"

    def __init__(self) -> None:
        super().__init__("Você não tem este cliente.")


class Wanted(msgspec.Struct, frozen=True):
    """The properties that a developer chooses for a client."""

    name: str
    redirect_uris: list[str]
    scopes: list[str]
    access_seconds: int
    refresh_seconds: int


class OwnClient(Client, frozen=True):
    """A developer's client. It contains only the hash of its secret."""

    secret_hash: bytes = b""

    def proves(self, secret: str) -> bool:
        """Return whether this is the client's secret."""
        return hmac.compare_digest(_hash(secret), self.secret_hash)


class OwnClients:
    """The store of all developers' clients."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def find(self, client_id: str) -> Client | None:
        """Return a client in the form that the provider uses, or None if no client has this id."""
        if not _ID.fullmatch(client_id):
            return None
        async with self._database.connection() as connection:
            found = await client_store.find_client(connection, client_id)
        return _to_client(found) if found else None

    async def list_clients(self, owner: str) -> list[DeveloperClient]:
        """Return the clients that this person created, oldest first."""
        async with self._database.connection() as connection:
            return await client_store.list_clients(connection, owner)

    async def add(self, owner: str, wanted: Wanted) -> tuple[str, str]:
        """Add a client, and return its id and secret.

        Raises TooManyClients if the owner already has the maximum number of clients.
        """
        client_id, secret = f"{TEST_CLIENTS}{secrets.token_hex(8)}", make_secret()
        async with self._database.transaction() as connection:
            await client_store.lock_owner(connection, owner)
            added = await client_store.add_client(
                connection, client_id, owner, wanted.name, _hash(secret), wanted.redirect_uris, wanted.scopes,
                wanted.access_seconds, wanted.refresh_seconds, MOST_CLIENTS,
            )  # fmt: skip
        if added is None:
            raise TooManyClients()
        return client_id, secret

    async def renew_secret(self, owner: str, client_id: str) -> str:
        """Create a new secret for a client and return it. The old secret becomes invalid immediately.

        Raises ClientUnknown if the person has no such client.
        """
        secret = make_secret()
        async with self._database.connection() as connection:
            renewed = _ID.fullmatch(client_id) and await client_store.renew_secret(
                connection, client_id, owner, _hash(secret)
            )
        if not renewed:
            raise ClientUnknown()
        return secret

    async def end(self, owner: str, client_id: str) -> None:
        """Delete a client and its refresh tokens. Its access tokens remain valid until they expire.

        Raises ClientUnknown if the person has no such client.
        """
        async with self._database.connection() as connection:
            ended = _ID.fullmatch(client_id) and await client_store.end_client(connection, client_id, owner)
        if not ended:
            raise ClientUnknown()


def list_scopes() -> list[str]:
    """Return the scopes that a developer's client may have: all scopes of the trial's own clients."""
    return sorted({scope for client in demo.clients() for scope in client.scopes})


def parse_wanted(form: Mapping[str, str]) -> Wanted:
    """Parse the form for a new client. Each scope is a separate field.

    Raises InvalidRequest if a field is not valid.
    """
    name = form.get("name", "").strip()
    if not 1 <= len(name) <= _LONGEST_NAME or not name.isprintable():
        raise InvalidRequest(f"Dê ao cliente um nome de 1 a {_LONGEST_NAME} caracteres.")
    addresses = list(dict.fromkeys(form.get("redirect_uris", "").split()))
    if len(addresses) > MOST_ADDRESSES:
        raise InvalidRequest(f"São no máximo {MOST_ADDRESSES} endereços de retorno.")
    for address in addresses:
        _check_address(address)
    return Wanted(
        name,
        addresses,
        [scope for scope in list_scopes() if f"scope.{scope}" in form],
        _parse_seconds(form, "access_seconds", LONGEST_ACCESS_SECONDS),
        _parse_seconds(form, "refresh_seconds", LONGEST_REFRESH_SECONDS),
    )


def _parse_seconds(form: Mapping[str, str], name: str, most: int) -> int:
    text = form.get(name, "")
    if not (text.isascii() and text.isdigit() and len(text) <= 6 and SHORTEST_SECONDS <= int(text) <= most):
        raise InvalidRequest(f"A duração deve ser um número de segundos, de {SHORTEST_SECONDS} a {most}.")
    return int(text)


def _check_address(address: str) -> None:
    """Raise InvalidRequest unless this is a single web address that all programs interpret in the same way."""
    if len(address) > _LONGEST_ADDRESS or _FORBIDDEN_CHARACTERS.search(address) or not _has_host(address):
        raise InvalidRequest(
            "Um endereço de retorno é completo, começa com https:// (ou http:// nesta máquina) e não tem usuário, "
            "fragmento nem curinga."
        )


def _has_host(address: str) -> bool:
    try:
        parts = urlsplit(address)
        if not parts.hostname or parts.port == 0:
            return False
    except ValueError:
        return False
    return parts.scheme == "https" or (parts.scheme == "http" and parts.hostname in LOOPBACK)


def _to_client(found: ProvenClient) -> OwnClient:
    return OwnClient(
        client_id=found.client_id,
        secret="",
        scopes=found.scopes,
        flows=["client_credentials", *(["authorization_code"] if found.redirect_uris else [])],
        public=True,  # a web page cannot keep a secret, so it uses PKCE
        redirect_uris=found.redirect_uris,
        access_seconds=found.access_seconds,
        machine_seconds=found.access_seconds,
        refresh_seconds=found.refresh_seconds,
        secret_hash=found.secret_hash,
    )


def _hash(secret: str) -> bytes:
    """Return the hash that is stored. Secrets are random, so a slow hash is not necessary."""
    return hashlib.sha256(secret.encode()).digest()
