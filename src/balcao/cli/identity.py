"""`balcao identity`: the embedded identity provider, and the keys of whichever provider is trusted."""

import asyncio

from balcao.cli import embedded
from balcao.cli.faults import OperatorFault
from balcao.cli.portuguese import Commands
from balcao.core.access.keys import CHANNEL
from balcao.core.database.pool import Database
from balcao.core.database.reloader import notify
from balcao.identity import keys
from balcao.settings import Settings

identity = Commands(help="O provedor de identidade e as suas chaves.")


@identity.command()
def rotate() -> None:
    """Cria uma chave de assinatura nova; a anterior vale enquanto houver tokens dela."""
    settings = Settings.load()
    if not settings.embedded_identity:
        raise OperatorFault("BALCAO_AUTH_ISSUER indica outro provedor de identidade: troque as chaves nele.")
    kid = keys.rotate_keys(settings)
    print(f"Chave nova: {kid}. Ela assina em {keys.SIGNS_AFTER_SECONDS} segundos; ninguém precisa ser reiniciado.")


@identity.command("refresh-keys")
def refresh_keys() -> None:
    """Faz todos os processos buscarem já as chaves do provedor; as apagadas nele deixam de valer na hora."""
    asyncio.run(_announce(embedded.find_database(Settings.load())))
    print("Pedido enviado: cada processo em execução busca as chaves agora. As falhas ficam no log de cada um.")


async def _announce(url: str) -> None:
    database = Database(url, size=2, role=None)
    await database.open()
    try:
        async with database.connection() as connection:
            await notify(connection, CHANNEL)
    finally:
        await database.close()
