"""The contents of the demo data, as one process reports them to another."""

from typing import Any

import msgspec


class Person(msgspec.Struct, frozen=True):
    """A person to log in as."""

    cpf: str
    name: str
    username: str
    password: str
    groups: list[str]


class Client(msgspec.Struct, frozen=True):
    """An OAuth client that an integrator can use to call the API."""

    client_id: str
    client_secret: str
    scopes: list[str]


class Offer(msgspec.Struct, frozen=True):
    """The output of `balcao demo --json`. `examples` has one id of each object that an operation needs."""

    base_urls: dict[str, str]
    people: list[Person]
    clients: list[Client]
    examples: dict[str, Any]
