"""The demo people and clients: one list, from which every demo loader takes them."""

import functools
import hmac
import tomllib
from collections.abc import Mapping
from importlib.resources import files
from typing import Annotated, Any, Literal, TypeVar

import msgspec

T = TypeVar("T")


class Person(msgspec.Struct, frozen=True):
    """`groups` are those of the access catalogue; `departments` codes of administrative units."""

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


# A refresh token ends with its session, and no session lasts longer than ten hours.
LONGEST_REFRESH_SECONDS = 36_000
# The keys that signed a token stay published for longer (`keys.PUBLISHED_SECONDS`).
LONGEST_ACCESS_SECONDS = 3_600
# A portal that refreshes at intervals asks again after one of them; longer, a stolen token would go unnoticed.
LONGEST_REPEAT_SECONDS = 900


class Client(msgspec.Struct, frozen=True):
    """`public`: a code is exchanged without the secret; `loopback`: any address on the caller's machine is taken.

    `pkce = "optional"`: a login may begin without a challenge; its code is exchanged with the secret, never without.
    `access_seconds` and `refresh_seconds` are how long the tokens of people live that the client is given, and
    `machine_seconds` how long its own do. `repeat_seconds` is how long after its first use a refresh token still gives
    the one that followed it; beyond half a minute only to who shows the secret.
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
        """Return whether this is its secret."""
        return bool(self.secret) and hmac.compare_digest(secret.encode(), self.secret.encode())


@functools.cache
def people() -> tuple[Person, ...]:
    """Return the demo people."""
    return tuple(_read("demo_people.toml", "person", Person))


@functools.cache
def people_by_login() -> Mapping[str, Person]:
    """Return the demo people by CPF in digits and by user name in lower case."""
    return {name: person for person in people() for name in (person.cpf, person.username)}


@functools.cache
def clients() -> tuple[Client, ...]:
    """Return the demo clients."""
    return tuple(_read("demo_clients.toml", "client", Client))


def _read(name: str, table: str, kind: type[T]) -> list[T]:
    document: dict[str, Any] = tomllib.loads(files("balcao_sandbox.identity").joinpath(name).read_text("utf-8"))
    return msgspec.convert(document[table], list[kind])  # type: ignore[valid-type]
