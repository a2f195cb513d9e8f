"""Check the panel: its role and schema in the database, and its client at the identity provider."""

import httpx

from balcao.operate.database import find_embedded
from balcao.operate.deploy.production import PANEL_UNIT
from balcao.operate.doctor.checks import DOWN, STOPPED, UP, Check, Part, Subject
from balcao.operate.doctor.surfaces import check_client, check_database
from balcao.panel.application import describe_database
from balcao.panel.declaration import PREFIX
from balcao.panel.endpoints import SERVICE
from balcao.settings import Settings
from balcao.web.provider import Provider, ProviderAway

# The folder of the units that systemd starts at boot, relative to the root folder.
_ENABLED = "etc/systemd/system/multi-user.target.wants"


async def _check_panel(subject: Subject) -> Part | None:
    settings = subject.settings
    if settings.has_panel:
        return await _check(subject, settings.panel_address)
    if not await _has_separate_panel(subject):
        return None
    found = await _check(subject, settings.own_panel_address)
    # Report why a separate panel refuses to start. If `balcao serve` includes the panel, the check of the settings
    # reports this.
    refused = [] if settings.sandbox else settings.refuse_panel()
    return Part(DOWN if refused else found.state, found.details, refused + found.problems)


async def _has_separate_panel(subject: Subject) -> bool:
    """Return whether this machine has a separate `balcao panel` that responds or whose unit is enabled."""
    if (subject.root / _ENABLED / PANEL_UNIT).is_symlink():
        return True
    try:
        answer = await subject.http.get(f"{subject.settings.panel_listening_url}/liveness")
        return bool(answer.json().get("service") == SERVICE)
    except (httpx.HTTPError, ValueError, AttributeError):  # no server responds, or the response is from another program
        return False


async def _check(subject: Subject, address: str) -> Part:
    settings = subject.settings
    url = settings.panel_database_url or settings.database_url or find_embedded(settings)
    if url is None:
        return Part(STOPPED)
    found = await check_database(describe_database(settings), settings, url)
    if settings.embedded_identity:  # the embedded provider has the client from our settings
        return found
    try:
        client = await _check_client(settings, subject.http, address)
    except ProviderAway:  # the provider's check reports this problem
        return found
    problems = found.problems + client.problems
    return Part(DOWN if problems else UP, found.details | client.details, problems)


async def _check_client(settings: Settings, http: httpx.AsyncClient, address: str) -> Part:
    secret = settings.panel_client_secret.get_secret_value()
    provider = Provider(settings.issuers[0], settings.panel_client_id, secret, http)
    client = settings.panel_client_id, "do painel", "BALCAO_PANEL"
    return await check_client(provider, http, address, PREFIX, client)


CHECK = Check(
    name="panel",
    part="panel",
    looks_at="if the [panel](../operate/panel.md) is on (`BALCAO_PANEL`), its unit is enabled, or a `balcao panel` "
    "answers on this machine: its role and schema in the database and, with a provider of your own, its client "
    "there, by using its secret and by a login request without a person",
    wrong="the role is missing or cannot be used; migrations are missing; the provider does not know the client or "
    "its secret; the return address is not registered for the client",
    remedy="run the statements in the message as an administrator of PostgreSQL, or correct the setting that it "
    "names; run `balcao migrate`; register the address at the provider. The settings check reports missing or weak "
    "keys",
    examine=_check_panel,
)
