"""The demo people and clients, for the provider and for loading the demo data."""

import functools
import hmac
import tomllib
from collections.abc import Mapping
from importlib.resources import files
from typing import Annotated, Any, Literal, TypeVar

import msgspec

T = TypeVar("T")


class Person(msgspec.Struct, frozen=True):
    """A demo person.

    `groups` are groups in the access catalogue, and `departments` are codes of administrative units.
    """

    cpf: str
    name: str
    username: str
    password: str
    email: str
    groups: list[str]
    departments: list[str]
    birth_date: str | None = None
    token_roles: list[str] = []

    @property
    def given_name(self) -> str:
        return self.name.rpartition(" ")[0]

    @property
    def family_name(self) -> str:
        return self.name.rpartition(" ")[2]


# Ten hours is the longest session. A refresh token ends with its session.
LONGEST_REFRESH_SECONDS = 36_000
# Old signing keys remain published for longer than this (`keys.PUBLISHED_SECONDS`).
LONGEST_ACCESS_SECONDS = 3_600
# Portals that refresh at intervals retry after one interval, so this is long enough. With a longer window, the theft of
# a token would be detected later.
LONGEST_REPEAT_SECONDS = 900


class Client(msgspec.Struct, frozen=True):
    """A demo client. If `public`, a code can be exchanged without the secret. `loopback` allows any loopback address.

    - With `pkce = "optional"`, a login may start without a challenge. Its code can then be exchanged only with the
      secret.
    - `access_seconds` and `refresh_seconds` are the lifetimes of tokens for people. `machine_seconds` is the lifetime
      of the client's own tokens.
    - `repeat_seconds` is how long after its first use a refresh token still returns its successor. More than
      `REUSE_SECONDS` requires the secret.
    """

    client_id: str
    secret: str
    scopes: list[str]
    flows: list[str]
    public: bool = False
    loopback: bool = False
    redirect_uris: list[str] = []
    pkce: Literal["required", "optional"] = "required"
    access_seconds: Annotated[int, msgspec.Meta(ge=30, le=LONGEST_ACCESS_SECONDS)] = 300
    machine_seconds: Annotated[int, msgspec.Meta(ge=30, le=LONGEST_ACCESS_SECONDS)] = 300
    refresh_seconds: Annotated[int, msgspec.Meta(ge=30, le=LONGEST_REFRESH_SECONDS)] = 1800
    repeat_seconds: Annotated[int, msgspec.Meta(ge=0, le=LONGEST_REPEAT_SECONDS)] = 30

    def proves(self, secret: str) -> bool:
        """Return whether this is the client's secret. For a client without a secret, this is always false."""
        return bool(self.secret) and hmac.compare_digest(secret.encode(), self.secret.encode())


@functools.cache
def people() -> tuple[Person, ...]:
    """Return the demo people."""
    return tuple(_read("demo_people.toml", "person", Person))


@functools.cache
def people_by_login() -> Mapping[str, Person]:
    """Return the demo people by CPF (digits only) and by user name (in lower case)."""
    return {name: person for person in people() for name in (person.cpf, person.username)}


@functools.cache
def clients() -> tuple[Client, ...]:
    """Return the demo clients."""
    return tuple(_read("demo_clients.toml", "client", Client))


def _read(name: str, table: str, kind: type[T]) -> list[T]:
    document: dict[str, Any] = tomllib.loads(files("balcao_sandbox.identity").joinpath(name).read_text("utf-8"))
    return msgspec.convert(document[table], list[kind])  # type: ignore[valid-type]
