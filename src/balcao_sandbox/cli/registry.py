"""`balcao registry generate`: write fictional citizens or tickets in the import format, for trying out the import."""

import sys
from enum import StrEnum
from typing import Annotated

import typer

from balcao_sandbox.demo.registry import MOST_CITIZENS


class Invented(StrEnum):
    """What the generated lines describe: citizens or tickets."""

    CITIZENS = "citizens"
    TICKETS = "tickets"


def generate(
    count: Annotated[int, typer.Argument(min=1, max=MOST_CITIZENS, help="De quantos cidadãos.")],
    kind: Annotated[Invented, typer.Option(help="O que escrever deles.")] = Invented.CITIZENS,
) -> None:
    """Escreve linhas de cidadãos inventados, sempre as mesmas, para ensaios e medições."""
    import msgspec

    from balcao_sandbox.demo.registry import invented

    lines = invented.make_citizens(count) if kind is Invented.CITIZENS else invented.make_tickets(count)
    encode = msgspec.json.Encoder().encode
    sys.stdout.buffer.writelines(encode(line) + b"\n" for line in lines)
