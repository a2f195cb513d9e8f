"""`balcao search import` and `export`: a catalogue from a file, and to one."""

import asyncio
import sys
from pathlib import Path
from typing import Annotated

import msgspec
import typer

from balcao.cli.importing import run_import
from balcao.core.imports.service import Order
from balcao.operate import database
from balcao.search import SERVICE
from balcao.search.services import service as services
from balcao.settings import Settings


def import_file(
    file: Annotated[
        Path,
        typer.Argument(help="JSON Lines ou CSV, também .gz; `-` lê JSON Lines da entrada padrão.", show_default=False),
    ],
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Confere tudo e não grava nada.")] = False,
    report: Annotated[Path | None, typer.Option(help="Onde anotar as linhas recusadas.", show_default=False)] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Em JSON.")] = False,
) -> None:
    """Carrega um catálogo de serviços. O mesmo comando, depois de interrompido, continua de onde parou."""
    order = Order(SERVICE.imports["services"], None, report, dry_run)
    run_import("search.import", file, order, as_json=as_json)


def export() -> None:
    """Escreve o catálogo inteiro na saída padrão, um serviço por linha, como `import` o lê."""
    settings = Settings.load()
    with database.open_database(settings) as url:
        asyncio.run(_export(settings, url))


async def _export(settings: Settings, url: str) -> None:
    encode = msgspec.json.Encoder().encode
    async with database.open_platform(settings, url) as platform:
        async for document in services.export(platform):
            sys.stdout.buffer.write(encode(document) + b"\n")
