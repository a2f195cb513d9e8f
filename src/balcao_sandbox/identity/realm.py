"""The provider's state: its name, clients, keys and grants."""

import functools
from collections.abc import Mapping
from urllib.parse import urlsplit

import httpx
import msgspec

from balcao.core.access.enumeration import EnumerationGuard
from balcao.core.access.limits import Limits
from balcao.core.database.pool import Database
from balcao.core.http.cookies import read_cookies
from balcao.core.http.requests import Request
from balcao.settings import Settings
from balcao_sandbox.identity import demo
from balcao_sandbox.identity.demo import Client
from balcao_sandbox.identity.keys import SigningKeys
from balcao_sandbox.identity.own_clients import OwnClients
from balcao_sandbox.identity.pages import Site
from balcao_sandbox.identity.records import Records

# How many wrong secrets one address may send for one client.
WRONG_SECRETS_RATE = "10/minute"


class Realm:
    """A realm's state. Raises SettingsError if the keys are not usable.

    `issuer` identifies the realm in every token, and is the base of its addresses.
    """

    def __init__(self, settings: Settings, database: Database, limits: Limits, http: httpx.AsyncClient) -> None:
        self.name = settings.realm
        self.issuer = settings.issuers[0].rstrip("/")
        self.audience = settings.auth_audience
        self.clients = load_clients(settings)
        self.keys = SigningKeys(settings)
        self.own_clients = OwnClients(database)
        self.site = Site(settings.site_city_name, f"{settings.site_address}/") if settings.has_site else None
        self._site_client_id = settings.site_client_id
        self.records = Records(database, settings.hash_key.get_secret_value().encode())
        self.limits = limits
        self.http = http
        # A real provider would store these addresses with the clients of the platform, the panel and the site.
        self.logout_urls = [f"{settings.base_url}/auth/backchannel-logout"]
        if settings.has_panel:
            self.logout_urls.append(f"{settings.panel_address}/painel/backchannel-logout")
        if settings.has_site and settings.has_site_login:
            self.logout_urls.append(f"{settings.site_address}/minha-pagina/backchannel-logout")
        self.declared_rate = settings.declared_rate
        self.secret_guard = EnumerationGuard(limits, self.declared_rate(WRONG_SECRETS_RATE))

    def find_site(self, client_id: str) -> Site | None:
        """Return the citizen site if this is its client, or None."""
        return self.site if client_id == self._site_client_id else None

    async def find_client(self, client_id: str) -> Client | None:
        """Return one of the trial's or a developer's clients, or None if no client has this id."""
        return self.clients.get(client_id) or await self.own_clients.find(client_id)

    @functools.cached_property
    def path(self) -> str:
        """Return the issuer's path as browsers see it, for cookies and forms."""
        return urlsplit(self.issuer).path

    @property
    def is_secure(self) -> bool:
        """Whether browsers reach the realm through https."""
        return self.issuer.startswith("https://")


def load_clients(settings: Settings) -> Mapping[str, Client]:
    """Return the trial's clients by id. A client's secret in the settings takes precedence."""
    secrets = {
        settings.client_id: settings.client_secret.get_secret_value(),
        settings.panel_client_id: settings.panel_client_secret.get_secret_value(),
        settings.site_client_id: settings.site_client_secret.get_secret_value(),
        "crm-sandbox": settings.crm_sandbox_client_secret.get_secret_value(),
    }
    return {
        client.client_id: msgspec.structs.replace(client, secret=secrets.get(client.client_id, client.secret))
        for client in demo.clients()
    }


class RealmRequest:
    """A request to one of the realm's addresses."""

    def __init__(self, realm: Realm, request: Request) -> None:
        self.realm = realm
        self.method = request.method
        self.query_string = request.query_string
        self.content = request.content
        self.address = request.peer
        self.path_values = request.path_values[1:]
        self._headers = request.headers

    def header(self, name: str) -> str:
        """Return a header's value, or an empty string if it was not sent."""
        return self._headers.text(name.encode()) or ""

    @functools.cached_property
    def cookies(self) -> Mapping[str, str]:
        """Return the cookies by name. The mapping is empty if the header cannot be parsed."""
        return read_cookies(self._headers)
