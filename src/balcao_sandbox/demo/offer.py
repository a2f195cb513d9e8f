"""What there is in the demo data to try, as one process reports it to another."""

from typing import Any

import msgspec


class Person(msgspec.Struct, frozen=True):
    """Somebody to log in as."""

    cpf: str
    name: str
    username: str
    password: str
    groups: list[str]


class Client(msgspec.Struct, frozen=True):
    """An OAuth client to call as."""

    client_id: str
    client_secret: str
    scopes: list[str]


class Offer(msgspec.Struct, frozen=True):
    """What `balcao demo --json` prints; `examples` has one id of each thing that an operation needs."""

    base_urls: dict[str, str]
    people: list[Person]
    clients: list[Client]
    examples: dict[str, Any]
