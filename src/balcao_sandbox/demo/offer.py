"""A description of the demo data that one process sends to another."""

from typing import Any

import msgspec


class Person(msgspec.Struct, frozen=True):
    """A demo person, with everything needed for a login."""

    cpf: str
    name: str
    username: str
    password: str
    groups: list[str]


class Client(msgspec.Struct, frozen=True):
    """An OAuth client with which an integrator can call the API."""

    client_id: str
    client_secret: str
    scopes: list[str]


class Offer(msgspec.Struct, frozen=True):
    """The output of `balcao demo --json`. `examples` contains ids and other values for trying out operations."""

    base_urls: dict[str, str]
    people: list[Person]
    clients: list[Client]
    examples: dict[str, Any]
