"""`balcao init portal`: write what a portal needs to be switched over to the platform, and what the platform needs."""

import re
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Annotated
from urllib.parse import urlsplit

import typer

from balcao.cli.files import write_files
from balcao.cli.options import Replace
from balcao.core import logs
from balcao.identity.clients import accepts_redirect
from balcao.identity.demo import Client
from balcao.identity.realm import load_clients
from balcao.operate.deploy import portals
from balcao.operate.deploy.answers import PortalKind
from balcao.operate.deploy.portals import Key, Portal
from balcao.operate.deploy.production import make_secret
from balcao.operate.faults import OperatorFault
from balcao.settings import Settings
from balcao.settings.fixed_tokens import find_file

CLIENTS = {PortalKind.CITIZEN: "portal-cidadao", PortalKind.STAFF: "portal-servidor"}
KEY_DAYS = 365
_ORIGIN = re.compile(r"https?://(?:[A-Za-z0-9.-]+|\[[0-9A-Fa-f:.]+\])(?::[0-9]{1,5})?")
_CLIENT = re.compile(r"[A-Za-z0-9._-]{1,100}")


def write_portal(
    kind: Annotated[PortalKind, typer.Argument(help="citizen: o portal do cidadão; staff: o do servidor.")],
    origin: Annotated[
        str, typer.Option(help="Onde as pessoas abrem o portal, sem barra no fim.")
    ] = "http://localhost:3000",
    callback: Annotated[str, typer.Option(help="O caminho do portal a que o login volta.")] = "/callback",
    client_id: Annotated[str, typer.Option(help="O cliente no provedor; sem ela, o da demonstração.")] = "",
    folder: Annotated[Path | None, typer.Option(help="Onde ficam os arquivos; sem ela, portal-TIPO.")] = None,
    replace: Replace = False,
) -> None:
    """Escreve o cliente do provedor, o ambiente do portal e o que muda na configuração do Balcão."""
    logs.configure("error")
    if not _ORIGIN.fullmatch(origin):
        raise OperatorFault(f"--origin {origin}: escreva só https://ENDEREÇO ou http://ENDEREÇO:PORTA, sem caminho.")
    if not re.fullmatch(r"/[\x21-\x7e]*", callback):
        raise OperatorFault(f"--callback {callback}: escreva um caminho, como /callback.")
    if client_id and not _CLIENT.fullmatch(client_id):
        raise OperatorFault(f"--client-id {client_id}: use letras, dígitos, `.`, `_` e `-`.")
    settings, place = Settings.load(), folder or Path(f"portal-{kind}")
    name, redirect_uri = client_id or CLIENTS[kind], f"{origin}{callback}"
    demo = _find_demo_client(settings, name, redirect_uri) if settings.embedded_identity else None
    portal = Portal(
        kind=kind,
        origin=origin,
        redirect_uri=redirect_uri,
        client_id=name,
        client_secret=demo.secret if demo else portals.find_client_secret(place) or make_secret(),
        base_url=settings.base_url,
        issuer=settings.issuers[0].rstrip("/"),
        cors_origins=settings.cors_origins,
        fixed_tokens=settings.fixed_tokens,
        entries_file=find_file(settings.fixed_service_tokens),
    )
    today = datetime.now(UTC).date()
    key = portals.make_key(place, today + timedelta(days=KEY_DAYS), today) if kind is PortalKind.CITIZEN else Key()
    files = portals.generate(portal, key)
    write_files(place, files, replace=replace)
    client = (
        f"O cliente {name} já está no provedor do sandbox."
        if demo
        else f"Cadastre {place}/{portals.CLIENT} no provedor (Keycloak: `kcadm.sh create clients -r REALM -f`)."
    )
    entries = (
        f" Acrescente as linhas de {place}/{portals.ENTRIES} a {portal.entries_file}, que os processos releem sozinhos."
        if portals.ENTRIES in files
        else ""
    )
    print(
        f"{client} Ponha as linhas de {place}/{portals.OWN_SETTINGS} na configuração do Balcão e reinicie-o; "
        f"os valores de {place}/{portals.PORTAL_ENVIRONMENT} são do portal."
        f"{entries}"
    )


def _find_demo_client(settings: Settings, name: str, redirect_uri: str) -> Client:
    """Return the embedded provider's client. Raises OperatorFault where it has none, or takes no login back there."""
    known = {key: client for key, client in load_clients(settings).items() if "authorization_code" in client.flows}
    client = known.get(name)
    if client is None:
        raise OperatorFault(f"--client-id {name}: o provedor do sandbox tem {', '.join(sorted(known))}.")
    if not accepts_redirect(client, redirect_uri):
        host = urlsplit(redirect_uri).hostname
        raise OperatorFault(
            f"--origin: o provedor do sandbox não devolve um login a {host}, só a esta máquina "
            f"(http://localhost:PORTA) ou a {', '.join(client.redirect_uris)}."
        )
    return client
