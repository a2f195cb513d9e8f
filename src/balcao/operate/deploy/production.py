"""Generate the files of a production installation, such as settings with secrets, roles, units and manifests."""

import re
import secrets
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

from balcao import __version__
from balcao.operate.deploy.answers import Installation
from balcao.operate.deploy.cluster import PASSWORDS, Cluster, generate_cluster
from balcao.operate.deploy.files import SECRET, File
from balcao.operate.deploy.rendering import read_template, render_template

SETTINGS, OWNER_SETTINGS, ROLES = "balcao.env", "balcao-owner.env", "database/roles.sql"
BACKUP_SETTINGS = "backup/balcao-backup.env"
_SECRET_FILES = (SETTINGS, OWNER_SETTINGS, ROLES, BACKUP_SETTINGS)
UNITS = ("balcao-api.service", "balcao-worker.service", "balcao-migrate.service")
# for a machine that serves only the panel
PANEL_UNIT = "balcao-panel.service"
BACKUP_UNITS = (
    "balcao-backup.service",
    "balcao-backup.timer",
    "balcao-backup-follow.service",
    "balcao-backup-verify.service",
    "balcao-backup-verify.timer",
)
_OPEN_FILES = (
    *(f"systemd/{unit}" for unit in (*UNITS, PANEL_UNIT)),
    *(f"backup/{unit}" for unit in BACKUP_UNITS),
    "container/Containerfile",
    "container/compose.yaml",
    "database/cloudnativepg.yaml",
    "kubernetes/kustomization.yaml",
    "kubernetes/migrate.yaml",
    "kubernetes/api.yaml",
    "kubernetes/worker.yaml",
    "kubernetes/panel.yaml",
    "kubernetes/network.yaml",
    "kubernetes/ingress.yaml",
    "helm/Chart.yaml",
    "helm/values.yaml",
)
# These files are copied unchanged, because Helm renders them. The chart's values contain the operator's answers.
_CHART_FILES = (
    "helm/values.schema.json",
    *(f"helm/templates/{name}" for name in ("_common.tpl", "migrate.yaml", "api.yaml", "worker.yaml", "panel.yaml")),
    "helm/templates/network.yaml",
    "helm/templates/ingress.yaml",
)
_FOR_KUBERNETES = ("kubernetes/", "helm/", "database/cloudnativepg.yaml")
_LINE = re.compile(r"([A-Z][A-Z0-9_]*)=(.*)")


def make_secret() -> str:
    """Return 32 random bytes as hexadecimal digits, which never need quoting."""
    return secrets.token_hex(32)


@dataclass(frozen=True)
class Secrets:
    """The secrets of an installation, each with 32 random bytes as hexadecimal digits."""

    app_password: str = field(default_factory=make_secret)
    owner_password: str = field(default_factory=make_secret)
    client_secret: str = field(default_factory=make_secret)
    hash_key: str = field(default_factory=make_secret)
    metrics_token: str = field(default_factory=make_secret)
    backup_password: str = field(default_factory=make_secret)
    panel_password: str = field(default_factory=make_secret)
    panel_client_secret: str = field(default_factory=make_secret)
    panel_key: str = field(default_factory=make_secret)
    site_password: str = field(default_factory=make_secret)
    site_client_secret: str = field(default_factory=make_secret)
    site_machine_client_secret: str = field(default_factory=make_secret)
    site_key: str = field(default_factory=make_secret)
    superuser_password: str = field(default_factory=make_secret)
    replication_password: str = field(default_factory=make_secret)
    patroni_password: str = field(default_factory=make_secret)

    @classmethod
    def of(cls, folder: Path) -> "Secrets":
        """Return the secrets from the existing files in the folder. Create the secrets that are missing."""
        known: dict[str, str] = {}
        for name in (SETTINGS, OWNER_SETTINGS, BACKUP_SETTINGS, PASSWORDS):
            known |= read_settings(folder / name)
        found = {
            "app_password": urlsplit(known.get("BALCAO_DATABASE_URL", "")).password,
            "owner_password": urlsplit(known.get("BALCAO_DATABASE_OWNER_URL", "")).password,
            "client_secret": known.get("BALCAO_CLIENT_SECRET"),
            "hash_key": known.get("BALCAO_HASH_KEY"),
            "metrics_token": known.get("BALCAO_METRICS_TOKEN"),
            "backup_password": urlsplit(known.get("BALCAO_BACKUP_URL", "")).password,
            "panel_password": urlsplit(known.get("BALCAO_PANEL_DATABASE_URL", "")).password,
            "panel_client_secret": known.get("BALCAO_PANEL_CLIENT_SECRET"),
            "panel_key": known.get("BALCAO_PANEL_KEY"),
            "site_password": urlsplit(known.get("BALCAO_SITE_DATABASE_URL", "")).password,
            "site_client_secret": known.get("BALCAO_SITE_CLIENT_SECRET"),
            "site_machine_client_secret": known.get("BALCAO_SITE_MACHINE_CLIENT_SECRET"),
            "site_key": known.get("BALCAO_SITE_KEY"),
            "superuser_password": known.get("PATRONI_SUPERUSER_PASSWORD"),
            "replication_password": known.get("PATRONI_REPLICATION_PASSWORD"),
            "patroni_password": known.get("PATRONI_RESTAPI_PASSWORD"),
        }
        return cls(**{name: value for name, value in found.items() if value})


def generate_production_files(installation: Installation, own: Secrets) -> dict[str, File]:
    """Return the files by their path in the installation's folder. Only their owner can read files with secrets."""
    name, _, tag = installation.image.rpartition(":")
    values = vars(installation) | {
        "secrets": own,
        "version": __version__,
        "image_name": name,
        "image_tag": tag,
        "ports_called": installation.ports_called,
        "public_host": installation.public_host,
        # Traces need additional packages.
        "lock": "requirements-traces.lock" if installation.traces_url else "requirements.lock",
    }
    files = {path: File.of(render_template(path, **values), SECRET) for path in _SECRET_FILES}
    files |= {path: File.of(render_template(path, **values)) for path in _OPEN_FILES}
    files |= {path: File.of(read_template(path)) for path in _CHART_FILES}
    if installation.cluster:
        files |= generate_cluster(Cluster(installation.cluster, installation.database_name, own))
    if installation.has_local_database:  # in each pod, localhost is a different machine
        files = {path: file for path, file in files.items() if not path.startswith(_FOR_KUBERNETES)}
    return files


def parse_settings(text: str) -> dict[str, str]:
    """Return the variables in an environment file as systemd reads it: the last line wins, and quotes are removed."""
    return {found[1]: _unquote(found[2].strip()) for line in text.splitlines() if (found := _LINE.fullmatch(line))}


def _unquote(value: str) -> str:
    is_quoted = len(value) > 1 and value[0] == value[-1] and value[0] in "\"'"
    return value[1:-1] if is_quoted else value


def read_settings(path: Path) -> dict[str, str]:
    """Return the variables in an environment file, or an empty dictionary if the file does not exist."""
    return parse_settings(path.read_text("utf-8")) if path.exists() else {}
