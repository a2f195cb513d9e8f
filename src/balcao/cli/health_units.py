"""`balcao health-units`: units and notifications of a former system, and episodes at random for trying the stream."""

from typing import Annotated

import typer

from balcao.cli.imports import DryRun, LinesOrTable, Report, offer_kinds, run_import
from balcao.cli.options import Json
from balcao.cli.portuguese import Commands
from balcao.operate.faults import OperatorFault

health_units = Commands(help="Unidades de saúde: importação de unidades e notificações, simulação de episódios.")


@health_units.command("import")
def import_file(
    file: LinesOrTable,
    kind: Annotated[str, offer_kinds("health_units")],
    dry_run: DryRun = False,
    report: Report = None,
    as_json: Json = False,
) -> None:
    """Carrega um arquivo do município. O mesmo comando, depois de interrompido, continua de onde parou."""
    run_import("health_units", file, kind, report, dry_run=dry_run, as_json=as_json)


@health_units.command()
def simulate(
    seconds: Annotated[float, typer.Option("--every", min=0.1, help="Segundos entre dois eventos.")] = 5.0,
    count: Annotated[int | None, typer.Option(min=1, help="Quantos eventos; sem isso, até Ctrl-C.")] = None,
) -> None:
    """Abre, muda e encerra notificações ao acaso nas unidades de demonstração, para ver o fluxo de eventos."""
    import asyncio

    from balcao.core.context.call import operator_call
    from balcao.health_units import demo
    from balcao.operate import database
    from balcao.settings import Settings

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
