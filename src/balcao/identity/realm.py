"""What the provider holds: its name, the people and clients it knows, its keys and what it granted."""

import functools
from collections.abc import Mapping
from urllib.parse import urlsplit

import msgspec
from litestar import Request
from litestar.datastructures import State

from balcao.core.context.platform import Platform
from balcao.identity import demo
from balcao.identity.demo import Client
from balcao.identity.keys import SigningKeys
from balcao.identity.records import Records
from balcao.settings import Settings

AnyRequest = Request[object, object, State]


class Realm:
    """`issuer` is its name in every token and the base of its addresses. Raises SettingsError for unusable keys."""

    def __init__(self, settings: Settings, platform: Platform) -> None:
        self.name = settings.realm
        self.issuer = settings.issuers[0].rstrip("/")
        self.audience = settings.auth_audience
        self.clients = known_clients(settings)
        self.keys = SigningKeys(settings)
        self.records = Records(platform.database, settings.hash_key.get_secret_value().encode())
        self.limits = platform.limits

    @functools.cached_property
    def path(self) -> str:
        """Of the issuer, as browsers see it: where cookies belong and forms go."""
        return urlsplit(self.issuer).path

    @property
    def secure(self) -> bool:
        return self.issuer.startswith("https://")


def known_clients(settings: Settings) -> Mapping[str, Client]:
    """By id. Where a setting names a client's secret, the setting counts."""
    secrets = {
        settings.client_id: settings.client_secret.get_secret_value(),
        "crm-sandbox": settings.crm_sandbox_client_secret.get_secret_value(),
    }
    return {
        client.client_id: msgspec.structs.replace(client, secret=secrets.get(client.client_id, client.secret))
        for client in demo.clients()
    }


def realm_of(request: AnyRequest) -> Realm:
    realm: Realm = request.app.state.realm
    return realm
