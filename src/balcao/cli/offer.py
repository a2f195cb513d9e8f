"""What the demo data offer to who wants to try the platform, as one process tells it to another."""

from typing import Any

import msgspec


class Person(msgspec.Struct, frozen=True):
    cpf: str
    name: str
    username: str
    password: str
    groups: list[str]


class Client(msgspec.Struct, frozen=True):
    client_id: str
    client_secret: str
    scopes: list[str]


class Offer(msgspec.Struct, frozen=True):
    """What `balcao demo --json` prints; `examples` has one id of each thing that an operation needs."""

    base_urls: dict[str, str]
    people: list[Person]
    clients: list[Client]
    examples: dict[str, Any]
