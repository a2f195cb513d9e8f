"""Generate a production installation's files and its gateway's files from the operator's answers."""

import re
from collections.abc import Sequence

from balcao.operate.deploy import production
from balcao.operate.deploy.answers import Frontend, GatewayKind, Installation, Server
from balcao.operate.deploy.cluster import FEWEST_SERVERS
from balcao.operate.deploy.files import File
from balcao.operate.deploy.production import Secrets
from balcao.operate.faults import OperatorFault
from balcao.operate.gateway_config import generate_gateway
from balcao.settings import Settings, SettingsError

_HOST = re.compile(r"[a-z0-9][a-z0-9.-]{0,252}")
_NAME = re.compile(r"[a-z][a-z0-9_]{0,40}")


def generate_installation(
    installation: Installation, own: Secrets, gateway: GatewayKind, servers: Sequence[str], front: Frontend
) -> dict[str, File]:
    """Return the files by their path. Raises OperatorFault or SettingsError if an answer cannot be used."""
    _refuse_unusable(installation)
    files = production.generate_production_files(installation, own)
    settings = _load_settings(files)
    generated = generate_gateway(gateway, settings, servers, front)
    return files | {f"gateway/{path}": file for path, file in generated.items()}


def _refuse_unusable(installation: Installation) -> None:
    """Raise OperatorFault or SettingsError if an answer cannot be written to a file."""
    _refuse_unusable_cluster(installation.cluster)
    servers = [("--database", place) for place in installation.database_servers]
    places = [*servers, *(("--replica", place) for place in installation.replicas)]
    for option, place in places:
        try:
            Server.parse(place)
        except ValueError:
            raise OperatorFault(f"{option} {place}: escreva ENDEREÇO:PORTA.") from None
    # Check these addresses now, because their ports are written to files before the settings are loaded.
    Settings.load({"BALCAO_REDIS_URL": installation.redis_url, "BALCAO_TRACES_URL": installation.traces_url})
    if not _NAME.fullmatch(installation.database_name):
        raise OperatorFault(f"--database-name {installation.database_name}: use letras minúsculas, dígitos e `_`.")
    if not re.fullmatch(r"[\w./:-]+:[\w.-]+", installation.image, re.ASCII):
        raise OperatorFault(f"--image {installation.image}: escreva NOME:VERSÃO.")


def _refuse_unusable_cluster(hosts: tuple[str, ...]) -> None:
    if hosts and (len(hosts) < FEWEST_SERVERS or len(hosts) % 2 == 0 or len({*hosts}) < len(hosts)):
        raise OperatorFault("--cluster: escreva três servidores diferentes, ou cinco, para que uma maioria decida.")
    if wrong := [host for host in hosts if not _HOST.fullmatch(host)]:
        raise OperatorFault(f"--cluster {wrong[0]}: escreva só o nome ou o endereço IPv4 do servidor, sem porta.")


def _load_settings(files: dict[str, File]) -> Settings:
    """Return the settings as the processes will load them. Raises SettingsError if the processes would reject them."""
    settings = Settings.load(production.parse_settings(files[production.SETTINGS].content.decode()))
    if refusals := settings.list_refusals():
        raise SettingsError("\n".join(refusals))
    return settings
