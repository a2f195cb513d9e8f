"""The configuration of HAProxy, nginx or Envoy, from the route table: the gateway of an installation.

What each does: ends TLS, gives every request an id, alone says in `X-Forwarded-*` who called, refuses floods, large
bodies and tokens that are not good, hides the check endpoint, and sends the rest to the processes that are ready. A
refusal of its own is the service's in every byte, so that a portal cannot tell who answered.
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
    list_areas,
    list_public_patterns,
)
from balcao.operate.deploy.files import File
from balcao.operate.deploy.rendering import render_template
from balcao.settings import Settings

# Where the gateway's configuration is written, and in which file of the distribution it ends up, by kind.
FILES = {"haproxy": "haproxy.cfg", "nginx": "balcao.conf", "envoy": "envoy.yaml"}
COMMAND = "balcao gateway-config"
# What the platform takes over as a request's id.
REQUEST_ID = "^[0-9a-fA-F]{8}-?([0-9a-fA-F]{4}-?){3}[0-9a-fA-F]{12}$"
# The settings that a gateway's configuration follows; after a change of one of them it is generated anew.
READ_SETTINGS = frozenset(
    "host port realm public_url auth_issuer cors_origins_csv header_timeout body_timeout machine_read_rate "
    "machine_write_rate trusted_proxies_csv trusted_callers_csv max_connections max_address_connections".split()
)
# Asked by gateways on the inside only; without prefix in a process that serves access alone.
HIDDEN = "^(/access)?/api/v1/check"


def _or_encoded(sign: str) -> str:
    """Return the pattern of a sign as it is or percent-encoded, in small digits or in capitals."""
    code = f"{ord(sign):02x}"
    low = code[1] if code[1].isdigit() else f"[{code[1]}{code[1].upper()}]"
    return f"({sign}|%{code[0]}{low})"


# The same for a gateway that compares paths as they came: the platform reads `%63heck` as `check`.
HIDDEN_RAW = re.sub("[a-z0-9]", lambda found: _or_encoded(found[0]), HIDDEN)


@dataclass(frozen=True)
class Plan:
    """What a gateway is generated from.

    `servers` serve every service, and the panel, without some of its own in `servers_of`. `applications` are the city's
    own, by the beginning of their paths: only what the catalogue lets pass reaches them. `keys` are the provider's, PEM
    by `kid`.
    """

    settings: Settings
    services: Sequence[Service]
    servers: Sequence[Server]
    frontend: Frontend
    servers_of: Mapping[str, Sequence[Server]] = field(default_factory=dict)
    applications: Mapping[str, Server] = field(default_factory=dict)
    keys: Mapping[str, bytes] = field(default_factory=dict)

    def command(self, kind: str) -> str:
        """Return the command that generates this gateway, which stands in what it writes: so that drift is found."""
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
    """The processes that serve one service, and the path that tells which of them are ready."""

    name: str
    readiness: str
    servers: Sequence[Server]


@dataclass(frozen=True)
class Key:
    """A key of the provider and the file that it is in."""

    kid: str
    file: str


def generate_gateway_files(kind: str, plan: Plan) -> dict[str, File]:
    """Return the files of a gateway's configuration, by their path beside one another."""
    areas = list_areas(plan.services, _choose_panel_readiness(plan))
    keys = [Key(kid, f"keys/{RSAKey.import_key(pem).thumbprint()}.pem") for kid, pem in sorted(plan.keys.items())]
    text = render_template(
        f"gateways/{FILES[kind]}",
        command=plan.command(kind),
        areas=areas,
        pools=_list_pools(areas, plan),
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
    """Return what tells that a process can show the panel.

    Those of all services may have it or not, which they say by answering; none need be told of it.
    """
    if PANEL in plan.servers_of:
        return PANEL_READINESS
    return LIVENESS if plan.servers else ""


def _name_port(public_url: str) -> str:
    """Return the port that people type, with its colon; "" for that of HTTPS."""
    port = urlsplit(public_url).port
    return f":{port}" if port not in {None, 443} else ""


def _list_pools(areas: Sequence[Area], plan: Plan) -> list[Pool]:
    """Return a pool for each service; the pages at the root are the same in every process."""
    readiness = {area.service: area.readiness for area in areas}
    of_services = [servers for name, servers in plan.servers_of.items() if name != PANEL]
    pages = [*plan.servers, *(server for servers in of_services for server in servers)]
    own = {PAGES: list(dict.fromkeys(pages))} | dict(plan.servers_of)
    return [Pool(name, path, own.get(name, plan.servers)) for name, path in readiness.items()]


def _list_trusted(plan: Plan) -> list[str]:
    """Return the networks whose connections are bounded in sum only: the panel's machine calls the API, too."""
    settings, found = plan.settings, list[str]()
    hosts = (server.host for servers in (plan.servers, *plan.servers_of.values()) for server in servers)
    for address in ("127.0.0.1", *settings.trusted_proxies, *settings.trusted_callers, *hosts):
        with suppress(ValueError):  # the name of a host
            found.append(str(ip_network(address, strict=False)))
    return list(dict.fromkeys(found))


def _most_calls_a_second(settings: Settings) -> int:
    """Return how often one address may call: what the platform grants a machine, which calls for many people.

    The platform counts people, and each operation, by itself; this keeps a flood away from it.
    """
    rates = (parse(rate) for rate in (settings.machine_read_rate, settings.machine_write_rate))
    return math.ceil(sum(rate.amount / rate.get_expiry() for rate in rates))
