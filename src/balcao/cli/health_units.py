"""`balcao health-units`: units and notifications of a former system, and episodes at random for trying the stream."""

import asyncio
from pathlib import Path
from typing import Annotated

import typer

from balcao.cli.importing import run_import
from balcao.cli.portuguese import Commands
from balcao.core.context.call import operator_call
from balcao.core.imports.service import Order
from balcao.health_units import SERVICE, demo
from balcao.operate import database
from balcao.operate.faults import OperatorFault
from balcao.settings import Settings

health_units = Commands(help="Unidades de saúde: importação de unidades e notificações, simulação de episódios.")


def _check_kind(kind: str) -> str:
    if kind not in SERVICE.imports:
        raise typer.BadParameter(f"use um de: {', '.join(SERVICE.imports)}")
    return kind


@health_units.command("import")
def import_file(
    file: Annotated[
        Path,
        typer.Argument(help="JSON Lines ou CSV, também .gz; `-` lê JSON Lines da entrada padrão.", show_default=False),
    ],
    kind: Annotated[
        str,
        typer.Option(
            callback=_check_kind, metavar="TIPO", help=f"Um de: {', '.join(SERVICE.imports)}.", show_default=False
        ),
    ],
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Confere tudo e não grava nada.")] = False,
    report: Annotated[Path | None, typer.Option(help="Onde anotar as linhas recusadas.", show_default=False)] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Em JSON.")] = False,
) -> None:
    """Carrega um arquivo do município. O mesmo comando, depois de interrompido, continua de onde parou."""
    order = Order(SERVICE.imports[kind], None, report, dry_run)
    run_import("health_units.import", file, order, as_json=as_json)


@health_units.command()
def simulate(
    seconds: Annotated[float, typer.Option("--every", min=0.1, help="Segundos entre dois eventos.")] = 5.0,
    count: Annotated[int | None, typer.Option(min=1, help="Quantos eventos; sem isso, até Ctrl-C.")] = None,
) -> None:
    """Abre, muda e encerra notificações ao acaso nas unidades de demonstração, para ver o fluxo de eventos."""
    settings = Settings.load()
    if not settings.sandbox:
        raise OperatorFault("A simulação só existe no perfil sandbox: ela inventa situações de risco.")

    async def run(url: str) -> None:
        async with database.open_platform(settings, url) as platform:
            call = operator_call(platform, "health_units.simulate")
            async for told in demo.simulate(call, count):
                print(told, flush=True)
                await asyncio.sleep(seconds)

    with database.open_database(settings) as url:
        asyncio.run(run(url))
