"""Generate the files of a PostgreSQL cluster with Patroni: Patroni, etcd, and an HAProxy for other programs."""

from dataclasses import dataclass
from ipaddress import ip_address
from typing import Protocol

from balcao.operate.deploy.files import SECRET, File
from balcao.operate.deploy.rendering import render_template

FEWEST_SERVERS = 3  # with fewer servers, losing one would leave no majority
PASSWORDS = "cluster/patroni.env"
_PROXY = "cluster/haproxy.cfg"


class ClusterSecrets(Protocol):
    """The passwords that the servers of the cluster use among themselves."""

    @property
    def superuser_password(self) -> str:
        """PostgreSQL's superuser `postgres`."""

    @property
    def replication_password(self) -> str:
        """The login with which replicas follow the leader."""

    @property
    def patroni_password(self) -> str:
        """The login for commands to Patroni, such as a switchover."""


@dataclass(frozen=True)
class Cluster:
    """The operator's answers about the cluster. The default paths are those of Debian 13's packages."""

    hosts: tuple[str, ...]
    database_name: str
    secrets: ClusterSecrets
    max_connections: int = 300
    data_directory: str = "/var/lib/postgresql/balcao"
    programs: str = "/usr/lib/postgresql/17/bin"
    socket_directory: str = "/var/run/postgresql"
    pgpass: str = "/var/lib/postgresql/.balcao-pgpass"
    etcd_directory: str = "/var/lib/etcd/balcao"


def generate_cluster(cluster: Cluster) -> dict[str, File]:
    """Return the files by their path: shared files, and a folder for each server."""
    values = dict(vars(cluster))
    files = {PASSWORDS: File.of(render_template(PASSWORDS, **values), SECRET)}
    files[_PROXY] = File.of(render_template(_PROXY, **values))
    for host in cluster.hosts:
        for name in ("config.yml", "etcd"):
            values |= {"host": host, "listen": _choose_listen_address(host)}
            files[f"cluster/{host}/{name}"] = File.of(render_template(f"cluster/{name}", **values))
    return files


def _choose_listen_address(host: str) -> str:
    """Return the host if it is an address, otherwise all addresses.

    etcd listens on no name, and Debian's installer gives a machine's own name the address 127.0.1.1.
    """
    try:
        ip_address(host)
    except ValueError:
        return "0.0.0.0"  # noqa: S104 - the page tells the operator to close the ports
    return host
