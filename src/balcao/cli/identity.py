"""`balcao identity`: make processes fetch the identity provider's keys again, and create fixed tokens."""

import asyncio
from datetime import UTC, datetime, timedelta
from typing import Annotated

import typer

from balcao.cli.portuguese import Commands
from balcao.core.access.keys import CHANNEL
from balcao.core.database.pool import Database
from balcao.core.database.reloader import notify_processes
from balcao.settings import Settings, fixed_tokens

identity = Commands(help="O provedor de identidade e as suas chaves.")


@identity.command("refresh-keys")
def refresh_keys() -> None:
    """Faz todos os processos buscarem agora as chaves do provedor; chaves apagadas nele deixam de valer na hora."""
    from balcao.operate import database

    asyncio.run(_announce(database.find_database(Settings.load())))
    print("Pedido enviado: cada processo em execução busca as chaves agora. As falhas ficam no log de cada um.")


@identity.command("fixed-token")
def fixed_token(
    operations: Annotated[
        list[str], typer.Argument(metavar="OPERAÇÃO...", help="Uma ou mais, por exemplo health_units.read_risk.")
    ],
    days: Annotated[int, typer.Option(min=1, max=fixed_tokens.LONGEST_DAYS, help="Por quantos dias ele vale.")] = 365,
) -> None:
    """Cria um token fixo, que abre só estas operações, e mostra as entradas de BALCAO_FIXED_SERVICE_TOKENS."""
    from balcao import app  # this imports every service; other commands here do not

    wanted = list(dict.fromkeys(operations))
    app.check_fixed_operations(wanted)
    token, entry = fixed_tokens.make_fixed_token(wanted[0], datetime.now(UTC).date() + timedelta(days=days))
    written = ",".join(fixed_tokens.format_entry(entry._replace(operation=operation)) for operation in wanted)
    print(f"Token, que não será mostrado de novo: {token}")
    print(f"Uma linha do arquivo que BALCAO_FIXED_SERVICE_TOKENS nomeia, ou o que entra nela mesma: {written}")


async def _announce(url: str) -> None:
    database = Database(url, size=2, role=None)
    await database.open()
    try:
        async with database.connection() as connection:
            await notify_processes(connection, CHANNEL)
    finally:
        await database.close()
