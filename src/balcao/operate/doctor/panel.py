"""Checks of the panel: its role and schema in the database, and its client at the identity provider."""

import httpx

from balcao.core.database.migrations import MigrationError
from balcao.core.database.roles import RoleError
from balcao.core.errors import Unavailable
from balcao.operate.database import find_embedded
from balcao.operate.deploy.production import PANEL_UNIT
from balcao.operate.doctor.checks import DOWN, STOPPED, UP, Check, Part, Subject
from balcao.panel.application import describe_database
from balcao.panel.declaration import PREFIX
from balcao.panel.endpoints import SERVICE
from balcao.settings import Settings
from balcao.web.login import find_return_url
from balcao.web.provider import GrantRefused, Provider, ProviderAway

# The provider's error for an unknown code. It means that the provider has accepted the client's credentials.
_CLIENT_ACCEPTED = "invalid_grant"
# The units that systemd starts at boot, relative to the root folder.
_ENABLED = "etc/systemd/system/multi-user.target.wants"


async def _check_panel(subject: Subject) -> Part | None:
    settings = subject.settings
    if settings.has_panel:
        return await _check(subject, settings.panel_address)
    if not await _has_separate_panel(subject):
        return None
    found = await _check(subject, settings.own_panel_address)
    # Report why a separate panel refuses to start. If `balcao serve` includes the panel, the settings check does.
    refused = [] if settings.sandbox else settings.refuse_panel()
    return Part(DOWN if refused else found.state, found.details, refused + found.problems)


async def _has_separate_panel(subject: Subject) -> bool:
    """Return whether this machine has a separate `balcao panel` that responds or whose unit is enabled."""
    if (subject.root / _ENABLED / PANEL_UNIT).is_symlink():
        return True
    try:
        answer = await subject.http.get(f"{subject.settings.panel_listening_url}/liveness")
        return bool(answer.json().get("service") == SERVICE)
    except (httpx.HTTPError, ValueError, AttributeError):  # no server responds, or another program does
        return False


async def _check(subject: Subject, address: str) -> Part:
    settings = subject.settings
    url = settings.panel_database_url or settings.database_url or find_embedded(settings)
    if url is None:
        return Part(STOPPED)
    found = await _check_database(settings, url)
    if settings.embedded_identity:  # the embedded provider creates the client from our settings
        return found
    try:
        client = await _check_client(settings, subject.http, address)
    except ProviderAway:  # the provider's check reports this problem
        return found
    problems = found.problems + client.problems
    return Part(DOWN if problems else UP, found.details | client.details, problems)


async def _check_database(settings: Settings, url: str) -> Part:
    try:
        await describe_database(settings).check(settings, url)
    except (RoleError, MigrationError) as fault:
        return Part(DOWN, {"database": False}, [str(fault)])
    except Unavailable:
        return Part(DOWN, {"database": False}, ["O banco de dados de BALCAO_PANEL_DATABASE_URL não responde."])
    return Part(UP, {"database": True})


async def _check_client(settings: Settings, http: httpx.AsyncClient, address: str) -> Part:
    """Check the client's secret and return address, without logging in. Raises ProviderAway if the provider is down."""
    secret = settings.panel_client_secret.get_secret_value()
    provider = Provider(settings.issuers[0], settings.panel_client_id, secret, http)
    back, problems = find_return_url(address, PREFIX), []
    try:
        await provider.exchange_code("doctor", back, "doctor", "doctor")
    except GrantRefused as refused:
        is_known = str(refused) == _CLIENT_ACCEPTED
    else:
        is_known = True
    if not is_known:
        problems.append(
            f"O provedor recusou o cliente do painel, {settings.panel_client_id}: confira BALCAO_PANEL_CLIENT_ID e "
            "BALCAO_PANEL_CLIENT_SECRET, e se ele é confidencial e tem o fluxo de código de autorização."
        )
    login = await provider.build_login_url(back, "doctor", "doctor", "doctor" * 8)
    leads_back = await _continues_login(f"{login}&prompt=none", http)
    if is_known and not leads_back:
        problems.append(
            f"O provedor não aceita {back} como endereço de retorno do cliente {settings.panel_client_id}: "
            "inclua-o nele, letra por letra, ou corrija BALCAO_PANEL_URL ou BALCAO_PUBLIC_URL."
        )
    return Part(UP, {"client": is_known, "return_address": leads_back}, problems)


async def _continues_login(address: str, http: httpx.AsyncClient) -> bool:
    """Return whether the provider continues the login. For an unknown return address it responds with an error."""
    try:
        answer = await http.get(address, follow_redirects=False)
    except httpx.HTTPError as fault:
        raise ProviderAway from fault
    return answer.status_code < 400


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
