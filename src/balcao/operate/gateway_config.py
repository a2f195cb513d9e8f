"""Generate a gateway's files from the operator's answers, this release's route table and the provider's keys."""

import asyncio
from collections.abc import Sequence

from balcao import app
from balcao.operate.certificates import describe_distrust, is_distrust
from balcao.operate.deploy import signing_keys
from balcao.operate.deploy.answers import Frontend, GatewayKind, Server
from balcao.operate.deploy.areas import PANEL
from balcao.operate.deploy.files import File
from balcao.operate.deploy.gateways import Plan, generate_gateway_files
from balcao.operate.deploy.signing_keys import KeysUnknown
from balcao.operate.faults import OperatorFault
from balcao.settings import Settings


def generate_gateway(
    kind: GatewayKind, settings: Settings, servers: Sequence[str], front: Frontend, applications: Sequence[str] = ()
) -> dict[str, File]:
    """Return the gateway's files.

    Raises OperatorFault if an answer is not valid or the provider's keys cannot be fetched.
    """
    if kind is GatewayKind.HAPROXY and applications:
        raise OperatorFault("O HAProxy não consulta o catálogo de acessos: para --application, use nginx ou envoy.")
    shared, own = _parse_servers(servers)
    guarded = _parse_applications(applications)
    keys = fetch_signing_keys(settings) if kind is GatewayKind.HAPROXY else {}
    return generate_gateway_files(kind, Plan(settings, app.SERVICES, shared, front, own, guarded, keys))


def fetch_signing_keys(settings: Settings) -> dict[str, bytes]:
    """Return the signing keys of the configured providers. Raises OperatorFault if they cannot be fetched."""
    try:
        return asyncio.run(signing_keys.fetch_signing_keys(settings.issuers))
    except KeysUnknown as fault:
        if is_distrust(fault):
            raise OperatorFault(describe_distrust(fault.issuer)) from None
        raise OperatorFault(
            f"Não é possível ler as chaves do emissor {fault.issuer}: o HAProxy precisa delas. Confira "
            "BALCAO_AUTH_ISSUER e se o provedor está no ar."
        ) from None


def _parse_servers(given: Sequence[str]) -> tuple[list[Server], dict[str, list[Server]]]:
    """Return the servers for all services, and those for individual services by name."""
    shared: list[Server] = []
    own: dict[str, list[Server]] = {}
    for text in given:
        service, _, address = text.rpartition("=")
        if service and service not in {*app.NAMES, PANEL}:
            raise OperatorFault(f"Serviço desconhecido: {service}. Existem: {', '.join((*app.NAMES, PANEL))}.")
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
