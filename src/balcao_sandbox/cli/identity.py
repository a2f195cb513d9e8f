"""`balcao identity rotate`: create a new signing key for the embedded identity provider."""

from balcao.operate.faults import OperatorFault


def rotate() -> None:
    """Cria uma chave de assinatura nova; a anterior vale enquanto houver tokens dela."""
    from balcao.settings import Settings
    from balcao_sandbox.identity import keys

    settings = Settings.load()
    if not settings.embedded_identity:
        raise OperatorFault("BALCAO_AUTH_ISSUER indica outro provedor de identidade: troque as chaves nele.")
    kid = keys.rotate_keys(settings)
    print(f"Chave nova: {kid}. Ela assina em {keys.SIGNS_AFTER_SECONDS} segundos; ninguém precisa ser reiniciado.")
