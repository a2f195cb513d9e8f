"""The environment of all measurements: a PostgreSQL with demo data and the benchmark's rows, an issuer, and tokens."""

import asyncio
import contextlib
import functools
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import psutil

from balcao.core.values.cpf import Cpf
from balcao_sandbox.postgresql import supervisor
from bench import cores, rows
from tests.support.issuer import Issuer

PEOPLE = 1024
ADMINISTRATORS = 64
TOKEN_SECONDS = 3600
# Ids of two sandbox clients that the platform trusts by default.
WEBHOOK_CLIENT = "crm-sandbox"
RUNTIME_CLIENT = "agentes-runtime"
DATABASE = "balcao"


@dataclass(frozen=True)
class Checkout:
    """A checkout of the project.

    Its commands run the checkout's own code, with the interpreter from its `.venv` if there is one.
    """

    root: Path

    @property
    def python(self) -> str:
        own = self.root / ".venv/bin/python"
        return str(own) if own.exists() else sys.executable

    def command(self, *words: str) -> list[str]:
        return [self.python, "-P", "-m", "balcao", *words]

    def environment(self, folder: Path, database_url: str, issuer: str) -> dict[str, str]:
        """Return the environment for a command, without the `BALCAO_` settings of this process."""
        folder.mkdir(exist_ok=True)
        others = {name: value for name, value in os.environ.items() if not name.startswith("BALCAO_")}
        return others | {
            "PYTHONPATH": str(self.root / "src"),
            "BALCAO_DATA_DIR": str(folder),
            "BALCAO_DATABASE_URL": database_url,
            "BALCAO_AUTH_ISSUER": issuer,
        }

    @functools.cached_property
    def takes_processes(self) -> bool:
        """Whether the checkout's `balcao serve` can run several processes on one port."""
        environment = os.environ | {"PYTHONPATH": str(self.root / "src"), "COLUMNS": "200", "NO_COLOR": "1"}
        shown = subprocess.run(
            self.command("serve", "--help"), capture_output=True, text=True, env=environment, check=True
        )
        return "--processes" in shown.stdout


OURS = Checkout(Path(__file__).parent.parent)


@dataclass(frozen=True)
class Stage:
    """The callers, and the objects of their calls.

    - `own` are people's bearer tokens by CPF. `administrators` are tokens with the role `admin`.
    - `units` are the CNES of units with a notification.
    - `person` and `machine` sign more tokens.
    - `databases` are the addresses of all filled databases, ours first.
    """

    folder: Path
    issuer: str
    databases: Sequence[str]
    own: dict[str, str]
    administrators: Sequence[str]
    webhook: str
    runtime: str
    units: list[str]
    person: Callable[[str, int], str]
    machine: Callable[..., str]
    postmaster: psutil.Process

    @property
    def database_url(self) -> str:
        return self.databases[0]

    def empty(self) -> None:
        """Reset the tables that the cases write, in all databases, so that each round starts with the same rows."""
        for url in self.databases:
            asyncio.run(rows.empty(url, list(self.own)))


@contextlib.contextmanager
def prepared(folder: Path, against: Sequence[Checkout]) -> Iterator[Stage]:
    """Prepare a database for each checkout. The databases are durable as in production: a commit waits for the disk."""
    with supervisor.start(folder) as running, contextlib.closing(Issuer()) as issuer:
        people = [Cpf.with_stem(f"90010{number:04}").digits for number in range(PEOPLE)]
        databases = [_filled(folder, running.server.url, issuer.address, OURS, people)]
        for number, checkout in enumerate(against):
            url = asyncio.run(rows.new_database(running.server.url, DATABASE, f"against_{number}"))
            databases.append(_filled(folder, url, issuer.address, checkout, people))
        ends = int(time.time()) + TOKEN_SECONDS
        postmaster = psutil.Process(int((running.server.data_dir / "postmaster.pid").read_text().split()[0]))
        cores.move(postmaster, cores.OTHERS)
        yield Stage(
            folder,
            issuer.address,
            databases,
            {cpf: issuer.person(cpf, exp=ends) for cpf in people},
            [issuer.admin(cpf, exp=ends) for cpf in people[:ADMINISTRATORS]],
            issuer.machine(WEBHOOK_CLIENT, exp=ends),
            issuer.machine(RUNTIME_CLIENT, exp=ends),
            asyncio.run(rows.units(databases[0])),
            lambda cpf, exp: issuer.person(cpf, exp=exp),
            lambda client, *scopes, **claims: issuer.machine(client, *scopes, exp=ends, **claims),
            postmaster,
        )


def _filled(folder: Path, url: str, issuer: str, checkout: Checkout, people: Sequence[str]) -> str:
    """Fill a database with the checkout's own commands and then with the benchmark's rows. Return its address."""
    environment = checkout.environment(folder / "commands", url, issuer)
    run_command(checkout.command("migrate"), environment)
    offered = json.loads(run_command(checkout.command("demo", "--load", "--json"), environment))
    asyncio.run(rows.fill(url, people, offered["examples"]["agent_config_id"]))
    return url


def run_command(command: Sequence[str], environment: dict[str, str]) -> str:
    """Run a command, and return its output. Raises CalledProcessError if it fails."""
    return subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True, check=True).stdout
