"""What a portal that is switched over needs: its client at the provider, its environment, and our settings for it."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from enum import StrEnum
from pathlib import Path
from typing import Any

from balcao.deploy.files import SECRET, File
from balcao.deploy.production import read_settings
from balcao.deploy.rendering import render
from balcao.settings import fixed_tokens
from balcao.settings.fixed_tokens import FixedToken

PORTAL_ENVIRONMENT, OWN_SETTINGS, CLIENT = "portal.env", "balcao.env", "client.json"
# What a portal with a fixed key calls with it: the risk of one unit, and of many.
KEY_OPERATIONS = ("health_units.read_risk", "health_units.list_risks")
# The portals refresh every 300 s: a token outlives a refresh that failed.
ACCESS_SECONDS = 600
_SCOPES = ("basic", "roles", "acr", "web-origins", "profile", "email", "balcao")


class PortalKind(StrEnum):
    """For whom a portal is."""

    CITIZEN = "citizen"
    STAFF = "staff"


@dataclass(frozen=True)
class Portal:
    """What is known of a portal and of the platform; `secrets` are its own, `origin` where browsers open it."""

    kind: PortalKind
    origin: str
    redirect_uri: str
    client_id: str
    client_secret: str
    base_url: str
    issuer: str
    cors_origins: Sequence[str] = ()
    fixed_tokens: Sequence[FixedToken] = ()


@dataclass(frozen=True)
class Key:
    """A fixed key and the entries that list it; none of either for staff, who come with their own token."""

    text: str = ""
    entries: tuple[FixedToken, ...] = ()


def find_client_secret(folder: Path) -> str | None:
    """Return the secret that the folder's files have already."""
    return read_settings(folder / PORTAL_ENVIRONMENT).get("OIDC_CLIENT_SECRET")


def make_key(folder: Path, until: date, today: date) -> Key:
    """Return the key that the folder's files have, as long as it is listed there, else a new one."""
    text = read_settings(folder / PORTAL_ENVIRONMENT).get("HEALTH_UNITS_KEY", "")
    listed = read_settings(folder / OWN_SETTINGS).get("BALCAO_FIXED_SERVICE_TOKENS", "")
    known = [fixed_tokens.parse_entry(entry, today) for entry in listed.split(",") if entry]
    digest = fixed_tokens.compute_digest(text.encode())
    own = tuple(entry for entry in known if entry.digest == digest)
    if {entry.operation for entry in own} == set(KEY_OPERATIONS):
        return Key(text, own)
    text, entry = fixed_tokens.make(KEY_OPERATIONS[0], until)
    return Key(text, tuple(entry._replace(operation=operation) for operation in KEY_OPERATIONS))


def generate(portal: Portal, key: Key) -> dict[str, File]:
    """Return the files by their path in the portal's folder; those with secrets are their owner's alone."""
    entries = dict.fromkeys([*portal.fixed_tokens, *key.entries])
    values = vars(portal) | {
        "is_citizen": portal.kind is PortalKind.CITIZEN,
        "health_units_key": key.text,
        "cors_origins": ",".join(dict.fromkeys([*portal.cors_origins, portal.origin])),
        "fixed_tokens": ",".join(map(fixed_tokens.format_entry, entries)),
    }
    return {
        PORTAL_ENVIRONMENT: File.of(render("portal/portal.env", **values), SECRET),
        OWN_SETTINGS: File.of(render("portal/balcao.env", **values), SECRET),
        CLIENT: File.of(json.dumps(_describe_client(portal), indent=2, ensure_ascii=False) + "\n", SECRET),
    }


def _describe_client(portal: Portal) -> dict[str, Any]:
    """Return the client as Keycloak imports it (`kcadm.sh create clients -f`), like those of the realm file."""
    return {
        "clientId": portal.client_id,
        "name": "Portal do cidadão" if portal.kind is PortalKind.CITIZEN else "Portal do servidor",
        "secret": portal.client_secret,
        "publicClient": False,
        "standardFlowEnabled": True,
        "directAccessGrantsEnabled": False,
        "serviceAccountsEnabled": False,
        "fullScopeAllowed": False,
        "rootUrl": portal.origin,
        "redirectUris": [portal.redirect_uri],
        "webOrigins": ["+"],
        "attributes": {
            "backchannel.logout.url": f"{portal.base_url}/auth/backchannel-logout",
            "backchannel.logout.session.required": "true",
            "access.token.lifespan": str(ACCESS_SECONDS),
        },
        "defaultClientScopes": list(_SCOPES),
        "optionalClientScopes": [],
    }
