"""Check the site: its clients at the identity provider, what its machine client may read, and its database."""

import socket
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

import httpx

from balcao.operate.database import find_embedded
from balcao.operate.doctor.checks import DOWN, STOPPED, UP, Check, Part, Subject
from balcao.operate.doctor.surfaces import check_client, check_database
from balcao.search.public import SEARCH_SCOPE
from balcao.settings import Settings
from balcao.site.mine.application import describe_database
from balcao.site.mine.declaration import PREFIX
from balcao.web.provider import GrantRefused, Provider, ProviderAway

# For each scope, an operation that only this scope allows, and the part of the site that needs it.
_READ_WITH = {
    "catalogo:read": ("/search/api/v1/catalog/services?limit=1", "os serviços"),
    "sms:read": ("/health-units/unidades?per_page=1", "as unidades de saúde"),
}
_REFUSED = frozenset({httpx.codes.UNAUTHORIZED, httpx.codes.FORBIDDEN})


async def _check_site(subject: Subject) -> Part | None:
    settings = subject.settings
    if not settings.has_site:
        return None
    # There is nothing to check, because the embedded provider creates both clients from our settings.
    parts = [] if settings.embedded_identity else [await _check_machine(settings, subject.http)]
    if settings.has_site_login:
        parts += await _check_login(settings, subject.http)
    if not parts:
        return None
    problems = [problem for part in parts for problem in part.problems]
    details = {name: value for part in parts for name, value in part.details.items()}
    states = {part.state for part in parts}
    state = DOWN if problems else next((one for one in (STOPPED, UP) if one in states), UP)
    return Part(state, details, problems, find_notices(settings))


async def _check_machine(settings: Settings, http: httpx.AsyncClient) -> Part:
    """Check the client of the anonymous pages. If the provider is down, the check of the providers reports it."""
    client = settings.site_machine_client_id
    try:
        given = await _request_token(settings, http)
    except ProviderAway:
        return Part(UP)
    if given is None:
        return Part(
            DOWN,
            {"client": False},
            [
                f"O provedor recusou o cliente do site, {client}: confira BALCAO_SITE_MACHINE_CLIENT_ID e "
                "BALCAO_SITE_MACHINE_CLIENT_SECRET, e se ele é confidencial e tem o fluxo de credenciais de cliente."
            ],
        )
    token = str(given.get("access_token") or "")
    problems = [
        f"O cliente do site, {client}, não pode ler {what}: dê a ele o escopo `{scope}` no provedor e inclua-o em "
        "BALCAO_MACHINE_CLIENTS."
        for scope, (path, what) in _READ_WITH.items()
        if not await _may_read(settings.site_services_url + path, token, http)
    ]
    granted = given.get("scope")
    if isinstance(granted, str) and SEARCH_SCOPE not in granted.split():
        problems.append(
            f"O cliente do site, {client}, não tem o escopo `{SEARCH_SCOPE}`: sem ele, a busca conta todas as pessoas "
            "que usam o site como uma só. Dê o escopo a ele no provedor."
        )
    return Part(DOWN if problems else UP, {"client": True}, problems)


async def _check_login(settings: Settings, http: httpx.AsyncClient) -> list[Part]:
    """Check the database of Minha página and, at the city's own provider, the client with which citizens log in."""
    url = settings.site_database_url or settings.database_url or find_embedded(settings)
    parts = [Part(STOPPED) if url is None else await check_database(describe_database(settings), settings, url)]
    if not settings.embedded_identity:
        secret = settings.site_client_secret.get_secret_value()
        provider = Provider(settings.issuers[0], settings.site_client_id, secret, http)
        client = settings.site_client_id, "de Minha página", "BALCAO_SITE"
        try:
            found = await check_client(provider, http, settings.site_address, PREFIX, client)
        except ProviderAway:
            return parts
        details = {f"login_{name}": value for name, value in found.details.items()}
        parts.append(Part(found.state, details, found.problems))
    return parts


def find_notices(settings: Settings) -> list[str]:
    """Return a notice if the services count all visitors' requests without login for this machine's address."""
    if settings.sandbox:
        return []
    address = _find_own_address(settings.site_services_url)
    if address is None or address in settings.search_portals:
        return []
    return [
        f"O site chama os serviços a partir de {address}, que não está em BALCAO_SEARCH_PORTALS: os pedidos sem "
        "login de todas as pessoas contam então como os de um endereço só. Inclua o endereço, ou aquele que os "
        "serviços veem em seu lugar."
    ]


def _find_own_address(url: str) -> str | None:
    """Return the address from which this machine calls a server. Connecting a datagram socket sends nothing."""
    parts = urlsplit(url)
    port = parts.port or (443 if parts.scheme == "https" else 80)
    try:
        family, kind, protocol, _, place = socket.getaddrinfo(parts.hostname, port, type=socket.SOCK_DGRAM)[0]
        with socket.socket(family, kind, protocol) as probe:
            probe.connect(place)
            return str(probe.getsockname()[0])
    except OSError:
        return None


async def _request_token(settings: Settings, http: httpx.AsyncClient) -> Mapping[str, Any] | None:
    """Return the provider's token response for the machine client, or None if the provider refuses.

    Raises ProviderAway if it is down.
    """
    secret = settings.site_machine_client_secret.get_secret_value()
    provider = Provider(settings.issuers[0], settings.site_machine_client_id, secret, http)
    form = {
        "grant_type": "client_credentials",
        "client_id": settings.site_machine_client_id,
        "client_secret": secret,
    }
    try:
        return await provider.request_token(form)
    except GrantRefused:
        return None


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
    looks_at="if the [site](settings.md) is on (`BALCAO_SITE`): the database role and the schema of Minha página, "
    "and from which address the site calls the services. With a provider of your own, also the client of Minha página "
    "there, the machine client of the anonymous pages, and what the machine client may read",
    wrong="a client or a secret that the provider does not know; a missing scope or return address; a client that is "
    "not in `BALCAO_MACHINE_CLIENTS`; the role is missing or cannot be used; migrations are missing. In production, a "
    "notice if the address is not in `BALCAO_SEARCH_PORTALS`",
    remedy="correct the setting or the scope that the message names, or run its statements. The settings check reports "
    "missing settings",
    examine=_check_site,
)
