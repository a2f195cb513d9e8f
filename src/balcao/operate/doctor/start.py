"""What a start says of its settings: the part of `balcao doctor` that needs no look at anything else."""

from collections.abc import Iterator, Mapping
from urllib.parse import urlsplit

from balcao.core.logs import log
from balcao.operate.unknown_variables import list_unknown_variables
from balcao.settings import Settings


def warn(settings: Settings, environment: Mapping[str, str]) -> None:
    """Write a warning for everything that is probably not what was meant."""
    for reason in list_warnings(settings, environment):
        log.warning("settings.doubtful", reason=reason)


def list_warnings(settings: Settings, environment: Mapping[str, str]) -> Iterator[str]:
    """Yield sentences about names that are no setting, and about a public address that everybody can listen to."""
    yield from (stranger.describe() for stranger in list_unknown_variables(environment))
    if not settings.sandbox and urlsplit(settings.public_url).scheme == "http":
        yield (
            f"BALCAO_PUBLIC_URL é {settings.public_url}, sem TLS: tokens e dados de pessoas passam abertos. Ponha "
            "o gateway diante dos processos e escreva o endereço com https."
        )
