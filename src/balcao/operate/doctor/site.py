"""Check of the site: its machine client at the identity provider, and what this client may read."""

import httpx

from balcao.operate.doctor.checks import DOWN, UP, Check, Part, Subject
from balcao.settings import Settings
from balcao.web.provider import GrantRefused, Provider, ProviderAway

# An operation for each scope that only this scope allows, and the part of the site that needs it.
_READ_WITH = {
    "catalogo:read": ("/search/api/v1/catalog/services?limit=1", "os serviços"),
    "sms:read": ("/health-units/unidades?per_page=1", "as unidades de saúde"),
}
_REFUSED = frozenset({httpx.codes.UNAUTHORIZED, httpx.codes.FORBIDDEN})


async def _check_site(subject: Subject) -> Part | None:
    settings = subject.settings
    if not settings.has_site or settings.embedded_identity:  # the embedded provider has the client
        return None
    try:
        token = await _request_token(settings, subject.http)
    except ProviderAway:  # the provider's check reports this problem
        return Part(UP)
    if token is None:
        return Part(
            DOWN,
            {"client": False},
            [
                f"O provedor recusou o cliente do site, {settings.site_machine_client_id}: confira "
                "BALCAO_SITE_MACHINE_CLIENT_ID e BALCAO_SITE_MACHINE_CLIENT_SECRET, e se ele é confidencial e tem o "
                "fluxo de credenciais de cliente."
            ],
        )
    problems = [
        f"O cliente do site, {settings.site_machine_client_id}, não pode ler {what}: dê a ele o escopo `{scope}` no "
        "provedor e inclua-o em BALCAO_MACHINE_CLIENTS."
        for scope, (path, what) in _READ_WITH.items()
        if not await _may_read(settings.site_services_url + path, token, subject.http)
    ]
    return Part(DOWN if problems else UP, {"client": True}, problems)


async def _request_token(settings: Settings, http: httpx.AsyncClient) -> str | None:
    """Return a token of the site's machine client, or None if the provider refuses. Raises ProviderAway."""
    secret = settings.site_machine_client_secret.get_secret_value()
    provider = Provider(settings.issuers[0], settings.site_machine_client_id, secret, http)
    form = {
        "grant_type": "client_credentials",
        "client_id": settings.site_machine_client_id,
        "client_secret": secret,
    }
    try:
        given = await provider.request_token(form)
    except GrantRefused:
        return None
    return str(given.get("access_token") or "")


async def _may_read(address: str, token: str, http: httpx.AsyncClient) -> bool:
    """Return whether the services accept the token for this operation. If they are down, other checks report it."""
    try:
        answer = await http.get(address, headers={"Authorization": f"Bearer {token}"})
    except httpx.HTTPError:
        return True
    return answer.status_code not in _REFUSED


CHECK = Check(
    name="site",
    part="site",
    looks_at="if the [site](settings.md) is on (`BALCAO_SITE`) and the provider is not the embedded one: its machine "
    "client there, and whether the client may read the catalogue and the health units",
    wrong="a client or a secret that the provider does not know; a missing scope; a client that is not in "
    "`BALCAO_MACHINE_CLIENTS`",
    remedy="correct the setting or the scope that the message names. The settings check reports missing settings",
    examine=_check_site,
)
