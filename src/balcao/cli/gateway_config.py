"""`balcao gateway-config`: write the configuration of HAProxy, nginx or Envoy from the route table."""

import asyncio
from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from balcao import app
from balcao.cli.faults import OperatorFault, writing_to
from balcao.cli.issuer_check import describe_distrust, is_distrust
from balcao.core import logs
from balcao.operate.deploy import signing_keys
from balcao.operate.deploy.files import Differs, File, write
from balcao.operate.deploy.gateways import Frontend, Plan, Server, generate
from balcao.operate.deploy.signing_keys import KeysUnknown
from balcao.settings import Settings

REPLACE = typer.Option("--replace", help="Substitui os arquivos que diferem.")


class Kind(StrEnum):
    """The gateways that can be configured."""

    HAPROXY = "haproxy"
    NGINX = "nginx"
    ENVOY = "envoy"


def gateway_config(
    kind: Annotated[Kind, typer.Argument(help="O programa que fica diante dos processos.")],
    folder: Annotated[Path, typer.Option(help="Onde ficam os arquivos.")] = Path("gateway"),
    server: Annotated[
        list[str] | None,
        typer.Option(help="Processo que atende: ENDEREÇO:PORTA, ou SERVIÇO=ENDEREÇO:PORTA. Pode repetir-se."),
    ] = None,
    application: Annotated[
        list[str] | None,
        typer.Option(
            help="Aplicação da cidade: /CAMINHO=ENDEREÇO:PORTA; o catálogo de acessos decide. Pode repetir-se."
        ),
    ] = None,
    certificate: Annotated[
        str, typer.Option(help="O certificado, no gateway; para o HAProxy, seguido da chave.")
    ] = Frontend.certificate,
    certificate_key: Annotated[
        str, typer.Option(help="A chave do certificado (nginx e Envoy).")
    ] = Frontend.certificate_key,
    https_port: Annotated[int, typer.Option(min=1, max=65535, help="A porta de HTTPS.")] = 443,
    http_port: Annotated[int, typer.Option(min=0, max=65535, help="A que leva a HTTPS; 0: nenhuma.")] = 80,
    replace: Annotated[bool, REPLACE] = False,
) -> None:
    """Escreve a configuração do gateway: HAProxy, nginx ou Envoy."""
    logs.configure("error")
    settings = Settings.load()
    servers = server or [f"{settings.host}:{settings.port}"]
    front = Frontend(certificate, certificate_key, https_port, http_port)
    write_files(folder, make_gateway(kind, settings, servers, front, application or []), replace=replace)


def make_gateway(
    kind: Kind, settings: Settings, servers: Sequence[str], front: Frontend, applications: Sequence[str] = ()
) -> dict[str, File]:
    """Return the files of the gateway. Raises OperatorFault for servers and applications that it cannot have."""
    if kind is Kind.HAPROXY and applications:
        raise OperatorFault("O HAProxy não consulta o catálogo de acessos: para --application, use nginx ou envoy.")
    shared, own = _parse_servers(servers)
    guarded = _parse_applications(applications)
    keys = fetch_keys(settings) if kind is Kind.HAPROXY else {}
    return generate(kind, Plan(settings, app.SERVICES, shared, front, own, guarded, keys))


def fetch_keys(settings: Settings) -> dict[str, bytes]:
    """Return the keys of the provider that the settings name. Raises OperatorFault."""
    try:
        return asyncio.run(signing_keys.fetch(settings.issuers))
    except KeysUnknown as fault:
        if is_distrust(fault):
            raise OperatorFault(describe_distrust(fault.issuer)) from None
        raise OperatorFault(
            f"O emissor {fault.issuer} não publica chaves que se possam ler: o HAProxy precisa delas. Confira "
            "BALCAO_AUTH_ISSUER e se o provedor está no ar."
        ) from None


def write_files(folder: Path, files: dict[str, File], *, replace: bool) -> None:
    """Write the files and say which; the second time none. Raises OperatorFault for those that differ."""
    try:
        with writing_to(folder):
            written = write(folder, files, replace=replace)
    except Differs as fault:
        names = "\n".join(f"    {path}" for path in fault.paths)
        raise OperatorFault(
            f"Estes arquivos já existem e diferem:\n{names}\nNada foi escrito: com --replace são substituídos."
        ) from None
    for path in written:
        print(path)
    print(f"{len(written)} de {len(files)} arquivos escritos em {folder}; os outros estavam em dia.")


def _parse_servers(given: Sequence[str]) -> tuple[list[Server], dict[str, list[Server]]]:
    """Return the servers of all services, and those of some."""
    shared: list[Server] = []
    own: dict[str, list[Server]] = {}
    for text in given:
        service, _, address = text.rpartition("=")
        if service and service not in app.NAMES:
            raise OperatorFault(f"Serviço desconhecido: {service}. Existem: {', '.join(app.NAMES)}.")
        (own.setdefault(service, []) if service else shared).append(_parse_server(address))
    if not shared and (missing := [name for name in app.NAMES if name not in own]):
        raise OperatorFault(f"Nenhum processo atende {', '.join(missing)}: indique-o com --server.")
    return shared, own


def _parse_applications(given: Sequence[str]) -> dict[str, Server]:
    found: dict[str, Server] = {}
    for text in given:
        path, _, address = text.partition("=")
        if not path.startswith("/") or not path.isascii() or set(path) & set(" ;{}\"'\\"):
            raise OperatorFault(f"--application {text}: escreva /CAMINHO=ENDEREÇO:PORTA.")
        found[path] = _parse_server(address)
    return found


def _parse_server(address: str) -> Server:
    try:
        return Server.parse(address)
    except ValueError:
        raise OperatorFault(f"{address} não tem a forma ENDEREÇO:PORTA.") from None
