"""The operator's answers for generated files.

This module imports little, because the help of commands shows the defaults.
"""

from dataclasses import dataclass
from enum import StrEnum
from urllib.parse import urlsplit

from balcao import __version__

_PORTS = {"redis": 6379, "rediss": 6379, "http": 80, "https": 443}


class GatewayKind(StrEnum):
    """The gateways that can be configured."""

    HAPROXY = "haproxy"
    NGINX = "nginx"
    ENVOY = "envoy"


@dataclass(frozen=True)
class Server:
    """The address of a process, either of the platform or of another application."""

    host: str
    port: int

    def __str__(self) -> str:
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"

    @classmethod
    def parse(cls, text: str) -> "Server":
        """Parse `host:port`. Raises ValueError if it has another form."""
        parts = urlsplit(f"//{text}")
        if not parts.hostname or not parts.port or parts.path or parts.username:
            raise ValueError(text)
        return cls(parts.hostname, parts.port)


@dataclass(frozen=True)
class Frontend:
    """The gateway's ports and certificate. If `http_port` is 0, the gateway serves only HTTPS."""

    certificate: str = "/etc/ssl/balcao/balcao.pem"
    certificate_key: str = "/etc/ssl/balcao/balcao.key"
    https_port: int = 443
    http_port: int = 80


class PortalKind(StrEnum):
    """The kinds of portals: for citizens, and for staff."""

    CITIZEN = "citizen"
    STAFF = "staff"


@dataclass(frozen=True)
class Installation:
    """The operator's answers about an installation. An empty answer becomes a comment in the settings.

    `database` is `host:port`, or several of them separated by commas. `cluster` are the hosts of the database, if
    Patroni is to operate it. Each of `replicas` is `host:port`. `program` is the command that the units run.
    """

    public_url: str
    auth_issuer: str
    database: str = "localhost:5432"
    database_name: str = "balcao"
    cluster: tuple[str, ...] = ()
    allow_loopback_issuer: bool = False
    port: int = 8080
    panel_port: int = 8082
    management_port: int = 8090
    management_host: str = "127.0.0.1"
    replicas: tuple[str, ...] = ()
    redis_url: str = ""
    traces_url: str = ""
    trusted_proxies: str = "127.0.0.1,::1"
    program: str = "/opt/balcao/bin/balcao"
    image: str = f"balcao:{__version__}"
    folder: str = "production"

    @property
    def public_host(self) -> str:
        """The host name at which callers reach the gateway."""
        return urlsplit(self.public_url).hostname or ""

    @property
    def has_local_database(self) -> bool:
        """Whether the database is reachable only on this machine, so that the pods of a cluster cannot reach it."""
        from balcao.settings.production import LOOPBACK  # slow to import, and not needed for a command's help

        return all(urlsplit(f"//{server}").hostname in LOOPBACK for server in self.database_servers)

    @property
    def database_servers(self) -> list[str]:
        """The servers in `database`, each as `host:port`.

        With Patroni there are several, and one of them accepts writes.
        """
        return self.database.split(",")

    @property
    def ports_called(self) -> list[int]:
        """The ports that the processes call, including 443 for the CRM and 587 for the mail server.

        The other ports are those of databases, Redis, traces, the identity provider and the public address.
        """
        stores = {int(place.rpartition(":")[2]) for place in (*self.database_servers, *self.replicas)}
        called = (self.redis_url or "redis:", self.traces_url or "https:", self.auth_issuer, self.public_url)
        urls = [urlsplit(url) for url in called]
        return sorted({443, 587, *stores, *(port for url in urls if (port := url.port or _PORTS.get(url.scheme)))})
