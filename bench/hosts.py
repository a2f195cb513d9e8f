"""Runs two hosts on one machine.

Each is a `balcao serve` with its own data folder. They share a PostgreSQL and a Redis. HAProxy or nginx runs in front
of both hosts, with the generated configuration.
"""

import contextlib
import os
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import psutil

from balcao import app
from balcao.operate.deploy.answers import Server as Backend
from balcao.operate.deploy.gateways import Plan
from balcao.operate.gateway_config import fetch_signing_keys
from balcao.settings import Settings
from bench.servers import free_port, running_command
from bench.stage import OURS, Stage
from tests.support import gateways

# Rates so high that they have no effect, because a single address makes the calls of a whole city.
UNBOUND = {"BALCAO_MACHINE_READ_RATE": "1000000/second", "BALCAO_MACHINE_WRITE_RATE": "1000000/second"}


@dataclass(frozen=True)
class Installation:
    """The address for callers, and the processes of the installation. `trust` is the certificate, empty without TLS."""

    address: str
    trust: str
    hosts: tuple[psutil.Process, ...]
    redis: psutil.Process
    gateway: psutil.Process | None


@contextlib.contextmanager
def installed(stage: Stage, gateway: str, processes: int) -> Iterator[Installation]:
    """Run both hosts, each with its worker. The sandbox CRM runs on the first host.

    Raises RuntimeError if a host does not start or a program is missing.
    """
    with contextlib.ExitStack() as stack:
        redis_port, redis = stack.enter_context(_redis(stage.folder))
        first = free_port()
        shared = UNBOUND | {
            "BALCAO_REDIS_URL": f"redis://127.0.0.1:{redis_port}",
            "BALCAO_TRUSTED_PROXIES": "127.0.0.1",
            "BALCAO_CRM_URL": f"http://127.0.0.1:{first + 1}",
        }
        own = {name: value for name, value in shared.items() if name != "BALCAO_CRM_URL"}
        hosts, backends = [], []
        for port, settings in ((first, own), (free_port(), shared)):
            hosts.append(stack.enter_context(_host(stage, port, processes, settings)))
            backends.append(Backend("127.0.0.1", port))
        if gateway == "none":
            yield Installation(str(backends[0]), "", tuple(hosts), redis, None)
            return
        yield stack.enter_context(_behind(gateway, stage, backends, shared, hosts, redis))


@contextlib.contextmanager
def _host(stage: Stage, port: int, processes: int, settings: Mapping[str, str]) -> Iterator[psutil.Process]:
    environment = OURS.environment(stage.folder / f"host-{port}", stage.database_url, stage.issuer)
    command = OURS.command("serve", "--processes", str(processes))
    own = environment | dict(settings) | {"BALCAO_PORT": str(port)}
    with running_command(stage.folder, f"host {port}", command, own, port) as process:
        yield process


@contextlib.contextmanager
def _redis(folder: Path) -> Iterator[tuple[int, psutil.Process]]:
    program = os.environ.get("BALCAO_REDIS") or shutil.which("redis-server") or shutil.which("valkey-server")
    if program is None:
        raise RuntimeError("falta um Redis ou Valkey (apt-get install redis-server)")
    port = free_port()
    command = [program, "--port", str(port), "--bind", "127.0.0.1", "--save", "", "--dir", str(folder)]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL) as process:
        try:
            yield port, psutil.Process(process.pid)
        finally:
            process.terminate()


@contextlib.contextmanager
def _behind(
    kind: str,
    stage: Stage,
    backends: list[Backend],
    settings: Mapping[str, str],
    hosts: list[psutil.Process],
    redis: psutil.Process,
) -> Iterator[Installation]:
    os.environ.setdefault(f"BALCAO_{kind.upper()}", shutil.which(kind) or kind)
    folder = stage.folder / kind
    folder.mkdir()
    folder.chmod(0o755)
    certificate = gateways.Certificate(folder)
    known = Settings.load(dict(settings) | {"BALCAO_AUTH_ISSUER": stage.issuer})
    port = free_port()
    plan = Plan(known, app.SERVICES, backends, certificate.frontend(port), keys=fetch_signing_keys(known))
    before = {each.pid for each in psutil.Process().children()}
    with gateways.running(kind, plan, folder, certificate):
        (process,) = (each for each in psutil.Process().children() if each.pid not in before)
        yield Installation(f"127.0.0.1:{port}", certificate.chain.read_text(), tuple(hosts), redis, process)
