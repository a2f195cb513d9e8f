"""Generate the files for switching a portal to the platform: its OIDC client, its environment, and our settings."""

import json
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

from balcao.operate.deploy.answers import PortalKind
from balcao.operate.deploy.files import SECRET, File
from balcao.operate.deploy.production import read_settings
from balcao.operate.deploy.rendering import render_template
from balcao.settings import fixed_tokens
from balcao.settings.fixed_tokens import FixedToken

PORTAL_ENVIRONMENT, OWN_SETTINGS, CLIENT, ENTRIES = "portal.env", "balcao.env", "client.json", "fixed-tokens"
IGNORED = ".gitignore"
# The operations that citizen portals call with a fixed key: the risk of one unit, the risk of many units, and a unit
# with its opening hours.
KEY_OPERATIONS = ("health_units.read_risk", "health_units.list_risks", "health_units.read_unit")
# The lifetime of a portal's access token. The portals refresh tokens every 300 s, so a token survives one failed
# refresh.
ACCESS_SECONDS = 600
_SCOPES = ("basic", "roles", "acr", "web-origins", "profile", "email", "balcao")


@dataclass(frozen=True)
class Portal:
    """A portal, and the platform's settings for it. `origin` is the origin at which browsers open the portal.

    `entries_file` is the file with the platform's fixed tokens, if the settings name one.
    """

    kind: PortalKind
    origin: str
    redirect_uri: str
    client_id: str
    client_secret: str
    base_url: str
    issuer: str
    cors_origins: Sequence[str] = ()
    fixed_tokens: Sequence[FixedToken] = ()
    entries_file: Path | None = None


@dataclass(frozen=True)
class Key:
    """A fixed key and its entries in the settings.

    Both are empty for staff portals, which use the caller's token instead.
    """

    text: str = ""
    entries: tuple[FixedToken, ...] = ()


def find_client_secret(folder: Path) -> str | None:
    """Return the client secret from the existing files in the folder, or None."""
    return read_settings(folder / PORTAL_ENVIRONMENT).get("OIDC_CLIENT_SECRET")


def make_key(folder: Path, until: date, today: date) -> Key:
    """Return the key from the folder's files if its entries still exist and are valid, otherwise create a key."""
    text = read_settings(folder / PORTAL_ENVIRONMENT).get("HEALTH_UNITS_KEY", "")
    digest = fixed_tokens.compute_digest(text.encode())
    own = tuple(entry for entry in _list_entries(folder, today) if entry.digest == digest and entry.until >= today)
    if {entry.operation for entry in own} == set(KEY_OPERATIONS):
        return Key(text, own)
    text, entry = fixed_tokens.make_fixed_token(KEY_OPERATIONS[0], until)
    return Key(text, tuple(entry._replace(operation=operation) for operation in KEY_OPERATIONS))


def _list_entries(folder: Path, today: date) -> Iterator[FixedToken]:
    """Yield the fixed tokens in the folder's `balcao.env`, in the file that `balcao.env` names, and in `fixed-tokens`.

    Skip malformed entries and token files that cannot be read.
    """
    setting = read_settings(folder / OWN_SETTINGS).get("BALCAO_FIXED_SERVICE_TOKENS", "")
    named = fixed_tokens.find_file(setting)
    texts = [] if named else setting.split(",")
    for file in filter(None, (named, folder / ENTRIES)):
        with suppress(ValueError):
            texts += [text for _, text in fixed_tokens.read_lines(file)]
    for text in texts:
        with suppress(ValueError):
            yield fixed_tokens.parse_entry(text.strip(), today)


def generate_portal_files(portal: Portal, key: Key) -> dict[str, File]:
    """Return the files by their path in the portal's folder. Only their owner can read them."""
    entries = [fixed_tokens.format_entry(entry) for entry in dict.fromkeys([*portal.fixed_tokens, *key.entries])]
    values = vars(portal) | {
        "is_citizen": portal.kind is PortalKind.CITIZEN,
        "health_units_key": key.text,
        "cors_origins": ",".join(dict.fromkeys([*portal.cors_origins, portal.origin])),
        "fixed_tokens": portal.entries_file or ",".join(entries),
    }
    files = {
        PORTAL_ENVIRONMENT: File.of(render_template("portal/portal.env", **values), SECRET),
        OWN_SETTINGS: File.of(render_template("portal/balcao.env", **values), SECRET),
        CLIENT: File.of(json.dumps(_describe_client(portal), indent=2, ensure_ascii=False) + "\n", SECRET),
    }
    # Let Git ignore all of these files, because the folder is often inside the portal's own repository.
    files[IGNORED] = File.of("*\n", SECRET)
    if portal.entries_file and key.entries:
        lines = "".join(f"{fixed_tokens.format_entry(entry)}\n" for entry in key.entries)
        files[ENTRIES] = File.of(lines, SECRET)
    return files


def _describe_client(portal: Portal) -> dict[str, Any]:
    """Return the client in Keycloak's import format (`kcadm.sh create clients -f`), as in the realm file."""
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
            "backchannel.logout.session.required": "false",
            "access.token.lifespan": str(ACCESS_SECONDS),
        },
        "defaultClientScopes": list(_SCOPES),
        "optionalClientScopes": [],
    }
