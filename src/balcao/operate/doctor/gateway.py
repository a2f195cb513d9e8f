"""Check whether the gateway's installed configuration equals the configuration that would be generated now."""

import asyncio
import re
import shlex
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from urllib.parse import urlsplit

from balcao.core.certificate_end import read_certificate_end
from balcao.operate.deploy.answers import Frontend, GatewayKind
from balcao.operate.deploy.gateways import COMMAND, FILES
from balcao.operate.doctor.checks import (
    DAYS_OF_NOTICE,
    DOWN,
    STOPPED,
    TIMEOUT_SECONDS,
    UP,
    Check,
    Part,
    Subject,
    is_due_in_production,
)
from balcao.operate.doctor.installation import check_certificate, list_seen
from balcao.operate.doctor.processes import is_served
from balcao.operate.faults import OperatorFault
from balcao.operate.gateway_config import generate_gateway
from balcao.settings import Settings

# The folders of the gateways on Debian. The first file in them that `balcao gateway-config` wrote is checked.
FOLDERS = {GatewayKind.HAPROXY: "etc/haproxy", GatewayKind.NGINX: "etc/nginx/conf.d", GatewayKind.ENVOY: "etc/envoy"}
# A line in HAProxy's configuration that contains the file of a key and the `kid` of the tokens that the key verifies.
_KEY = re.compile(r'jwt_verify\("RS256",(\S+)\) if jwt \{ var\(txn\.kid\) -m str (?:-- )?(.+) \}$', re.MULTILINE)


@dataclass(frozen=True)
class Generated:
    """An installed configuration, and the answers from which it was generated, parsed from the command in the file."""

    path: Path
    kind: GatewayKind
    command: str
    servers: list[str]
    applications: list[str]
    frontend: Frontend


def find_gateway(root: Path) -> Generated | None:
    """Return our installed configuration. None if this machine has none, because the gateway runs elsewhere."""
    for kind, folder in FOLDERS.items():
        path = root / folder / FILES[kind]
        text = path.read_text("utf-8", errors="replace") if path.exists() else ""
        for line in text.splitlines():
            if line.startswith(f"# {COMMAND} {kind} "):
                return _parse(path, kind, line.removeprefix("# "))
    return None


def check_gateway(root: Path, settings: Settings) -> tuple[Generated | None, list[str]]:
    """Return our installed configuration, or None, and sentences about its problems."""
    found: list[Generated] = []

    def look() -> list[str]:
        generated = find_gateway(root)
        if generated is None:
            return []
        found.append(generated)
        return compare_gateway(root, settings, generated)

    problems = list_seen(look)
    return next(iter(found), None), problems


def compare_gateway(root: Path, settings: Settings, generated: Generated) -> list[str]:
    """Compare the installed files with the files that would be generated now, and check their certificate."""
    front = generated.frontend
    key = front.certificate if generated.kind is GatewayKind.HAPROXY else front.certificate_key
    host = urlsplit(settings.base_url).hostname or ""
    found = check_certificate(root / front.certificate.lstrip("/"), root / key.lstrip("/"), host)
    try:
        files = generate_gateway(generated.kind, settings, generated.servers, front, generated.applications)
    except OperatorFault as fault:
        return [*found, str(fault)]
    folder = generated.path.parent
    again = f"`{generated.command} --folder={folder} --replace`"
    reload = f"`systemctl reload {generated.kind}`"
    for name in _list_reused_names(_read(generated.path), files[generated.path.name].content):
        found.append(
            f"O provedor publica outra chave com o nome (`kid`) {name}, e o HAProxy recusa os tokens dela. Gere logo "
            f"de novo com {again} e execute {reload}."
        )
    differing = [name for name, file in files.items() if _read(folder / name) != file.content]
    if differing:
        found.append(
            f"{', '.join(str(folder / name) for name in differing)}: não combina com esta versão, esta configuração "
            f"e as chaves do provedor. Gere de novo com {again} e execute {reload}."
        )
    return found


def _list_reused_names(installed: bytes | None, present: bytes) -> list[str]:
    """Return each `kid` for which the key at the provider differs from the key in HAProxy's configuration."""
    known, published = (
        {name: file for file, name in _KEY.findall(text.decode(errors="replace"))}
        for text in (installed or b"", present)
    )
    return [name for name, file in published.items() if known.get(name, file) != file]


def _parse(path: Path, kind: GatewayKind, command: str) -> Generated:
    options: dict[str, list[str]] = {}
    for word in shlex.split(command)[3:]:
        name, _, value = word.removeprefix("--").partition("=")
        options.setdefault(name, []).append(value)
    front = Frontend(
        options["certificate"][0],
        options["certificate-key"][0],
        int(options["https-port"][0]),
        int(options["http-port"][0]),
    )
    return Generated(path, kind, command, options["server"], options.get("application", []), front)


def _read(path: Path) -> bytes | None:
    return path.read_bytes() if path.exists() else None


async def _check_gateway(subject: Subject) -> Part:
    """Check the gateway if it is on this machine: its configuration, and whether it listens."""
    generated, problems = await asyncio.to_thread(check_gateway, subject.root, subject.settings)
    if generated is None:
        problems += await asyncio.to_thread(check_seen_certificate, subject.settings.public_url)
        return Part(DOWN if problems else STOPPED, {"file": ""}, problems)
    listens = await _is_listening(generated.frontend.https_port)
    if not listens and await is_served(subject.settings, subject.http):
        problems.append(
            f"Os processos respondem, mas nada escuta na porta {generated.frontend.https_port}, a do gateway: "
            f"`systemctl start {generated.kind}`, e `journalctl -u {generated.kind}` diz por que parou."
        )
    return Part(DOWN if problems else UP if listens else STOPPED, {"file": str(generated.path)}, problems)


def check_seen_certificate(url: str) -> list[str]:
    """Report if the certificate of a gateway on another machine expires soon. Return nothing if the gateway is down."""
    try:
        ends = datetime.fromtimestamp(read_certificate_end(url), UTC)
    except (OSError, ValueError):
        return []
    if ends > datetime.now(UTC) + timedelta(days=DAYS_OF_NOTICE):
        return []
    return [f"O certificado de {url} vence em {ends:%d/%m/%Y}: troque-o por um novo na máquina do gateway."]


async def _is_listening(port: int) -> bool:
    """Return whether a program accepts connections on this port of this machine."""
    try:
        async with asyncio.timeout(TIMEOUT_SECONDS):
            _, writer = await asyncio.open_connection("127.0.0.1", port)
    except OSError:  # includes TimeoutError
        return False
    writer.close()
    return True


CHECK = Check(
    name="gateway",
    part="gateway",
    looks_at="if the gateway is on this machine, its configuration in `/etc/haproxy`, `/etc/nginx/conf.d` or "
    "`/etc/envoy`, the certificate that it names, and its port",
    wrong="nothing listens at the port although the processes answer; the file differs from what the command in its "
    "second line would generate now, with this release, these settings and the provider's keys; the provider "
    "publishes a new key with the name of an old one, and HAProxy refuses its tokens; the certificate ends within 14 "
    "days, is not for the server of `BALCAO_PUBLIC_URL`, or does not match its key; all users can read the key",
    remedy="run the command in the message and reload the gateway; renew the certificate",
    examine=_check_gateway,
    is_due=is_due_in_production,
)
