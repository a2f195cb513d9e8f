"""Check the identity providers: their names, keys and clocks, and the platform's client."""

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from email.utils import parsedate_to_datetime
from typing import NamedTuple

import httpx

from balcao.core.access.tokens import LEEWAY_SECONDS
from balcao.core.logs import log
from balcao.operate.certificates import describe_distrust, is_distrust
from balcao.operate.doctor.checks import DOWN, STOPPED, TIMEOUT_SECONDS, UP, Check, Clock, Part, Subject
from balcao.settings import Settings

# The maximum difference between two clocks that is not reported. It is half of the leeway, beyond which valid tokens
# are rejected.
MOST_SKEW_SECONDS = LEEWAY_SECONDS / 2


class Checked(NamedTuple):
    """The number of keys by issuer (0 if an issuer does not respond), and sentences about problems."""

    keys: dict[str, int]
    problems: list[str]


class _Published(NamedTuple):
    """The result of a check of one issuer.

    `keys` is the number of published keys. `issuer` (the published name) and `token_endpoint` are None without a
    discovery document. `skew` is the measured clock difference. `distrusted` is whether the issuer's certificate is not
    trusted.
    """

    keys: int = 0
    issuer: str | None = None
    token_endpoint: str | None = None
    skew: float = 0.0
    distrusted: bool = False


async def check_issuers(settings: Settings, http: httpx.AsyncClient, now: Clock = time.time) -> Checked:
    """Fetch the discovery document and the keys of each issuer, and compare the clocks.

    In production, also request a token for the platform's client from the first issuer.
    """
    problems = []
    keys = {}
    for issuer in settings.issuers:
        found = await _fetch(issuer, http, now)
        keys[issuer] = found.keys
        if found.distrusted:
            problems.append(describe_distrust(issuer))
        elif not found.keys:
            problems.append(f"Não é possível ler as chaves do emissor {issuer}.")
        if found.issuer not in {None, issuer}:
            problems.append(
                f"O provedor em {issuer} se chama {found.issuer}: escreva BALCAO_AUTH_ISSUER exatamente assim."
            )
        problems += describe_skew(f"ao do provedor em {issuer}", found.skew)
        if found.token_endpoint and not settings.sandbox and issuer == settings.issuers[0]:
            problems += await _check_client(settings, found.token_endpoint, http)
    return Checked(keys, problems)


@asynccontextmanager
async def warning_of_issuers(settings: Settings) -> AsyncIterator[None]:
    """Check the identity providers once, in the background while the block runs. Log a warning for each problem."""
    looking = asyncio.create_task(_warn_of_issuers(settings))
    try:
        yield
    finally:
        looking.cancel()
        await asyncio.gather(looking, return_exceptions=True)


async def _warn_of_issuers(settings: Settings) -> None:
    async with httpx.AsyncClient(timeout=TIMEOUT_SECONDS) as http:
        for reason in (await check_issuers(settings, http)).problems:
            log.warning("settings.doubtful", reason=reason)


def describe_skew(whose: str, seconds: float) -> list[str]:
    """Return a sentence if two clocks differ too much. `seconds` is how far the other clock is ahead of ours."""
    if abs(seconds) <= MOST_SKEW_SECONDS:
        return []
    direction = "adiantado" if seconds < 0 else "atrasado"
    return [
        f"O relógio desta máquina está {abs(seconds):.0f} s {direction} em relação {whose}: acerte os dois por NTP. "
        f"A partir de {LEEWAY_SECONDS} s tokens bons são recusados."
    ]


async def _fetch(issuer: str, http: httpx.AsyncClient, now: Clock) -> _Published:
    found = _Published()
    try:
        known = await http.get(f"{issuer.rstrip('/')}/.well-known/openid-configuration")
        found = found._replace(skew=_measure_skew(known, now))
        address = f"{issuer.rstrip('/')}/protocol/openid-connect/certs"
        if known.is_success:
            document = known.json()
            found = found._replace(issuer=str(document["issuer"]), token_endpoint=document.get("token_endpoint"))
            address = document["jwks_uri"]
        return found._replace(keys=len((await http.get(address)).json()["keys"]))
    except (httpx.HTTPError, httpx.InvalidURL, ValueError, KeyError, TypeError, AttributeError) as fault:
        return found._replace(distrusted=is_distrust(fault))


def _measure_skew(response: httpx.Response, now: Clock) -> float:
    """Return how many seconds the server's clock is ahead of ours.

    The `Date` header contains whole seconds, so half a second is added.
    """
    stamp = response.headers.get("Date")
    try:
        return parsedate_to_datetime(stamp).timestamp() + 0.5 - now() if stamp else 0.0
    except ValueError:
        return 0.0


async def _check_client(settings: Settings, address: str, http: httpx.AsyncClient) -> list[str]:
    form = {
        "grant_type": "client_credentials",
        "client_id": settings.client_id,
        "client_secret": settings.client_secret.get_secret_value(),
    }
    try:
        response = await http.post(address, data=form)
    except (httpx.HTTPError, httpx.InvalidURL):
        return [f"O provedor não responde em {address}, onde emite tokens."]
    if response.is_success:
        return []
    return [
        f"O provedor recusou o cliente {settings.client_id} ({response.status_code}): cadastre nele o segredo que está "
        "em BALCAO_CLIENT_SECRET."
    ]


async def _check_identity(subject: Subject) -> Part:
    keys, problems = await check_issuers(subject.settings, subject.http, subject.now)
    is_silent = not all(keys.values())
    if is_silent and subject.settings.embedded_identity:
        return Part(STOPPED)
    return Part(DOWN if is_silent else UP, {"keys": keys}, problems)


CHECK = Check(
    name="provider",
    part="identity",
    looks_at="each issuer of `BALCAO_AUTH_ISSUER`: its discovery document, its keys and its clock; in production also "
    "whether it issues a token to the platform",
    wrong="its name differs from the setting, even in one letter; it has no keys; this machine does not trust its "
    "certificate; its clock differs from this machine's by more than 5 seconds; it refuses `BALCAO_CLIENT_ID`",
    remedy="write `BALCAO_AUTH_ISSUER` exactly as the provider writes its own name; enter the secret of "
    "`BALCAO_CLIENT_SECRET` at the provider",
    examine=_check_identity,
)
