"""Generate the configuration of HAProxy, nginx or Envoy, the gateway of an installation, from the route table.

Each gateway

- terminates TLS, gives every request an id, and is the only one to set the caller in `X-Forwarded-*`,
- refuses floods, large bodies and invalid tokens,
- hides the check endpoint, and forwards all other requests to the processes that are ready.

Its own error responses equal those of the services byte for byte, so that a portal sees no difference.
"""

import math
import re
import shlex
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from ipaddress import ip_network
from urllib.parse import urlsplit

from joserfc.jwk import RSAKey
from limits import parse

from balcao.core.access.tokens import LEEWAY_SECONDS
from balcao.core.service import Service
from balcao.gateway.cors import EXPOSED_HEADERS
from balcao.gateway.head_rules import DISCARD_BYTES
from balcao.operate.deploy.answers import Frontend, Server
from balcao.operate.deploy.areas import (
    LIVENESS,
    PAGES,
    PANEL,
    PANEL_READINESS,
    Area,
    list_gateway_areas,
    list_public_patterns,
)
from balcao.operate.deploy.files import File
from balcao.operate.deploy.rendering import render_template
from balcao.settings import Settings

# The name of the configuration file by kind of gateway. It is the same in the generated folder and on Debian.
FILES = {"haproxy": "haproxy.cfg", "nginx": "balcao.conf", "envoy": "envoy.yaml"}
COMMAND = "balcao gateway-config"
# The form in which the platform accepts request ids from callers.
REQUEST_ID = "^[0-9a-fA-F]{8}-?([0-9a-fA-F]{4}-?){3}[0-9a-fA-F]{12}$"
# The settings that affect a gateway's configuration. Generate the configuration again after changing one of them.
READ_SETTINGS = frozenset(
    "host port realm public_url auth_issuer cors_origins_csv header_timeout body_timeout machine_read_rate "
    "machine_write_rate trusted_proxies_csv trusted_callers_csv max_connections max_address_connections".split()
)
# The check endpoint, which is hidden because only internal gateways call it. A process that serves only `access` has no
# prefix.
HIDDEN = "^(/access)?/api/v1/check"


def _or_encoded(sign: str) -> str:
    """Return a pattern that matches this character, either literal or percent-encoded in upper or lower case."""
    code = f"{ord(sign):02x}"
    low = code[1] if code[1].isdigit() else f"[{code[1]}{code[1].upper()}]"
    return f"({sign}|%{code[0]}{low})"


# The same pattern for gateways that match a path before they decode it. The platform decodes `%63heck` to `check`.
HIDDEN_RAW = re.sub("[a-z0-9]", lambda found: _or_encoded(found[0]), HIDDEN)


@dataclass(frozen=True)
class Plan:
    """The input for generating a gateway's configuration.

    `servers` serve each service and the panel, unless `servers_of` names other servers for a service or the panel.
    `applications` are the city's own applications by path prefix. They get only requests that the access catalogue
    allows. `keys` are the provider's keys as PEM, by `kid`.
    """

    settings: Settings
    services: Sequence[Service]
    servers: Sequence[Server]
    frontend: Frontend
    servers_of: Mapping[str, Sequence[Server]] = field(default_factory=dict)
    applications: Mapping[str, Server] = field(default_factory=dict)
    keys: Mapping[str, bytes] = field(default_factory=dict)

    def command(self, kind: str) -> str:
        """Return the command that generates this configuration.

        The file contains the command, so that doctor can find differences.
        """
        front = self.frontend
        servers = [*self.servers, *(f"{name}={server}" for name, own in self.servers_of.items() for server in own)]
        options = [
            *(f"--server={server}" for server in servers),
            *(f"--application={path}={server}" for path, server in self.applications.items()),
            f"--certificate={front.certificate}",
            f"--certificate-key={front.certificate_key}",
            f"--https-port={front.https_port}",
            f"--http-port={front.http_port}",
        ]
        return f"{COMMAND} {kind} {shlex.join(options)}"


@dataclass(frozen=True)
class Pool:
    """The processes for a service, and the path of their readiness check."""

    name: str
    readiness: str
    servers: Sequence[Server]


@dataclass(frozen=True)
class Key:
    """A key of the identity provider, and the name of its file."""

    kid: str
    file: str


def generate_gateway_files(kind: str, plan: Plan) -> dict[str, File]:
    """Return the files of a gateway's configuration, by their path in the gateway's folder."""
    areas = list_gateway_areas(plan.services, _choose_panel_readiness(plan))
    keys = [Key(kid, f"keys/{RSAKey.import_key(pem).thumbprint()}.pem") for kid, pem in sorted(plan.keys.items())]
    pools = _list_pools(areas, plan)
    text = render_template(
        f"gateways/{FILES[kind]}",
        command=plan.command(kind),
        areas=areas,
        pools=pools,
        process=next(server for pool in pools for server in pool.servers),
        front=plan.frontend,
        applications=plan.applications,
        origins=plan.settings.cors_origins,
        exposed=", ".join(EXPOSED_HEADERS),
        keys=keys,
        rate=_most_calls_a_second(plan.settings),
        trusted=_list_trusted(plan),
        trusted_connections=plan.settings.max_connections,
        address_connections=plan.settings.max_address_connections,
        leeway=LEEWAY_SECONDS,
        read_on=DISCARD_BYTES,
        public_port=_name_port(plan.settings.public_url),
        header_seconds=math.ceil(plan.settings.header_timeout),
        body_seconds=math.ceil(plan.settings.body_timeout),
        request_id=REQUEST_ID,
        hidden=HIDDEN,
        hidden_raw=HIDDEN_RAW,
    )
    files = {FILES[kind]: File.of(text)}
    if kind == "haproxy":
        files["public.lst"] = File.of("".join(f"{one}\n" for one in list_public_patterns(plan.services)))
        files |= {key.file: File(plan.keys[key.kid]) for key in keys}
    return files


def _choose_panel_readiness(plan: Plan) -> str:
    """Return the path that shows whether a process can serve the panel, or "" if no process has the panel.

    A process with all services may or may not include the panel. It answers a liveness check in both cases, so liveness
    is checked.
    """
    if PANEL in plan.servers_of:
        return PANEL_READINESS
    return LIVENESS if plan.servers else ""


def _name_port(public_url: str) -> str:
    """Return a colon and the port of the public address, or an empty string if the port is 443 or not given."""
    port = urlsplit(public_url).port
    return f":{port}" if port not in {None, 443} else ""


def _list_pools(areas: Sequence[Area], plan: Plan) -> list[Pool]:
    """Return a pool of servers for each service. Every process with a service also serves the pages at the root."""
    readiness = {area.service: area.readiness for area in areas}
    of_services = [servers for name, servers in plan.servers_of.items() if name != PANEL]
    pages = [*plan.servers, *(server for servers in of_services for server in servers)]
    own = {PAGES: list(dict.fromkeys(pages))} | dict(plan.servers_of)
    return [Pool(name, path, own.get(name, plan.servers)) for name, path in readiness.items()]


def _list_trusted(plan: Plan) -> list[str]:
    """Return the networks whose addresses share one limit for connections, instead of a limit for each address.

    The networks include the hosts of all processes, because the panel calls the API.
    """
    settings, found = plan.settings, list[str]()
    hosts = (server.host for servers in (plan.servers, *plan.servers_of.values()) for server in servers)
    for address in ("127.0.0.1", *settings.trusted_proxies, *settings.trusted_callers, *hosts):
        with suppress(ValueError):  # a host name is not a network
            found.append(str(ip_network(address, strict=False)))
    return list(dict.fromkeys(found))


def _most_calls_a_second(settings: Settings) -> int:
    """Return the rate limit for an address: the limit of a machine client, which calls on behalf of many people.

    The platform itself has limits for people and operations. This limit only stops floods before they reach the
    platform.
    """
    rates = (parse(rate) for rate in (settings.machine_read_rate, settings.machine_write_rate))
    return math.ceil(sum(rate.amount / rate.get_expiry() for rate in rates))
