"""`balcao identity`: the embedded identity provider."""

from balcao.cli.faults import OperatorFault
from balcao.cli.portuguese import Commands
from balcao.identity import keys
from balcao.settings import Settings

identity = Commands(help="O provedor de identidade embutido.")


@identity.callback()
def group() -> None:
    """Keeps `rotate` a command of its own while it is the only one."""


@identity.command()
def rotate() -> None:
    """Cria uma chave de assinatura nova; a anterior vale enquanto houver tokens dela."""
    settings = Settings.load()
    if not settings.embedded_identity:
        raise OperatorFault("BALCAO_AUTH_ISSUER indica outro provedor de identidade: troque as chaves nele.")
    kid = keys.rotate_keys(settings)
    print(f"Chave nova: {kid}. Ela assina em {keys.SIGNS_AFTER_SECONDS} segundos; ninguém precisa ser reiniciado.")
