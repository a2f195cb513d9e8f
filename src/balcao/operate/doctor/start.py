"""Warnings about probable mistakes in the settings.

`serve`, `panel` and `worker` log them when they start. The checks need no network call.
"""

from collections.abc import Iterator, Mapping
from urllib.parse import urlsplit

from balcao.core.logs import log
from balcao.operate.unknown_variables import list_unknown_variables
from balcao.settings import Settings


def warn_of_settings(settings: Settings, environment: Mapping[str, str]) -> None:
    """Log a warning for each setting that is probably a mistake."""
    for reason in list_warnings(settings, environment):
        log.warning("settings.doubtful", reason=reason)


def list_warnings(settings: Settings, environment: Mapping[str, str]) -> Iterator[str]:
    """Yield a sentence for each unknown variable, and for a public address without TLS in production."""
    yield from (stranger.describe() for stranger in list_unknown_variables(environment))
    if not settings.sandbox and urlsplit(settings.public_url).scheme == "http":
        yield (
            f"BALCAO_PUBLIC_URL é {settings.public_url}, sem TLS: tokens e dados de pessoas passam sem "
            "proteção. Ponha o gateway na frente dos processos e escreva o endereço com https."
        )
