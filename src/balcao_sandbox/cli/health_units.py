"""`balcao health-units simulate`: create and change random notifications, for trying out the event stream."""

from typing import Annotated

import typer


def simulate(
    seconds: Annotated[float, typer.Option("--every", min=0.1, help="Segundos entre dois eventos.")] = 5.0,
    count: Annotated[int | None, typer.Option(min=1, help="Quantos eventos; sem isso, até Ctrl-C.")] = None,
) -> None:
    """Abre, muda e encerra notificações ao acaso nas unidades de demonstração, para ver o fluxo de eventos."""
    import asyncio

    from balcao.core.context.call import operator_call
    from balcao.operate import database
    from balcao.settings import Settings
    from balcao_sandbox.demo import health_units as demo

    settings = Settings.load()

    async def run(url: str) -> None:
        async with database.open_platform(settings, url) as platform:
            call = operator_call(platform, "health_units.simulate")
            async for told in demo.simulate(call, count):
                print(told, flush=True)
                await asyncio.sleep(seconds)

    with database.open_database(settings) as url:
        asyncio.run(run(url))
