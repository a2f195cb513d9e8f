"""Generate the files for switching a portal to the platform, from a few answers."""

import os
import re
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import NamedTuple

from balcao import sandbox
from balcao.operate.deploy import portals
from balcao.operate.deploy.answers import PortalKind
from balcao.operate.deploy.files import File
from balcao.operate.deploy.portals import Key, Portal
from balcao.operate.deploy.production import make_secret
from balcao.operate.faults import OperatorFault
from balcao.settings import Settings
from balcao.settings.fixed_tokens import find_file

CLIENTS = {PortalKind.CITIZEN: "portal-cidadao", PortalKind.STAFF: "portal-servidor"}
KEY_DAYS = 365
_FIXED_TOKENS = "BALCAO_FIXED_SERVICE_TOKENS"
_ORIGIN = re.compile(r"https?://(?:[A-Za-z0-9.-]+|\[[0-9A-Fa-f:.]+\])(?::[0-9]{1,5})?")
_CLIENT = re.compile(r"[A-Za-z0-9._-]{1,100}")


class PreparedPortal(NamedTuple):
    """A portal, its files by path, and whether the embedded provider already has its client."""

    portal: Portal
    files: dict[str, File]
    is_in_sandbox: bool


def prepare_portal(kind: PortalKind, origin: str, callback: str, client_id: str, folder: Path) -> PreparedPortal:
    """Return a portal with the files for its folder. Secrets in the folder's existing files are reused.

    Raises OperatorFault if an answer is not valid.
    """
    if not _ORIGIN.fullmatch(origin):
        raise OperatorFault(f"--origin {origin}: escreva só https://ENDEREÇO ou http://ENDEREÇO:PORTA, sem caminho.")
    if not re.fullmatch(r"/[\x21-\x7e]*", callback):
        raise OperatorFault(f"--callback {callback}: escreva um caminho, como /callback.")
    if client_id and not _CLIENT.fullmatch(client_id):
        raise OperatorFault(f"--client-id {client_id}: use letras, dígitos, `.`, `_` e `-`.")
    settings, entries_file = _load_settings()
    name, redirect_uri = client_id or CLIENTS[kind], f"{origin}{callback}"
    find_secret = sandbox.load(settings, "portal") if settings.embedded_identity else None
    demo_secret: str | None = find_secret(settings, name, redirect_uri) if find_secret else None
    portal = Portal(
        kind=kind,
        origin=origin,
        redirect_uri=redirect_uri,
        client_id=name,
        client_secret=demo_secret or portals.find_client_secret(folder) or make_secret(),
        base_url=settings.base_url,
        issuer=settings.issuers[0].rstrip("/"),
        cors_origins=settings.cors_origins,
        fixed_tokens=settings.fixed_tokens,
        entries_file=entries_file,
    )
    today = datetime.now(UTC).date()
    key = portals.make_key(folder, today + timedelta(days=KEY_DAYS), today) if kind is PortalKind.CITIZEN else Key()
    files = portals.generate_portal_files(portal, key)
    return PreparedPortal(portal, files, is_in_sandbox=demo_secret is not None)


def _load_settings() -> tuple[Settings, Path | None]:
    """Return the settings, and the file of the fixed tokens or None.

    The file may be missing, because this command generates the first fixed token.
    """
    file = find_file(os.environ.get(_FIXED_TOKENS, ""))
    if file is not None and not file.exists():
        del os.environ[_FIXED_TOKENS]  # without the file, the settings would be rejected
    return Settings.load(finds_trial=True), file
