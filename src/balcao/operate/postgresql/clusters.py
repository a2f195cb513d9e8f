"""PostgreSQL clusters in the layout of Debian and Ubuntu: separate folders for data, settings and logs.

The settings are outside the data directory (`config_file`), so copies of a server do not contain them. A restored
server uses the settings of its machine.
"""

import os
import pwd
import re
import shutil
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

from balcao.operate.postgresql.accounts import Account, PostgresqlError, child_options

_NAME = re.compile(r"([0-9]+)/([\w.-]+)")
# The environment variable that makes Debian's cluster tools use another configuration root. Tests set it.
_ROOT = "PG_CLUSTER_CONF_ROOT"
_POLL_SECONDS = 0.2


@dataclass(frozen=True)
class Cluster:
    """A cluster on this machine. `account` owns the data directory `data`."""

    version: int
    name: str
    data: Path
    log: Path
    account: Account

    def __str__(self) -> str:
        return f"{self.version}/{self.name}"

    @property
    def is_down(self) -> bool:
        """Whether the cluster's server is stopped."""
        return _list_line(str(self))[3].startswith("down")

    def start(self) -> None:
        """Start the server, through systemd if the machine has it. Raises PostgresqlError if it does not start."""
        started = _run("pg_ctlcluster", str(self.version), self.name, "start")
        if started.returncode and self.is_down:
            raise PostgresqlError(f"O PostgreSQL {self} não iniciou. Veja {self.log}.")

    def wait_until_recovered(self) -> None:
        """Wait until the server has replayed the log and accepts writes. Raises PostgresqlError if it stops first."""
        while self._ask("SELECT pg_is_in_recovery()") != "f":
            if self.is_down:
                raise PostgresqlError(f"O PostgreSQL {self} parou antes de recuperar a cópia. Veja {self.log}.")
            time.sleep(_POLL_SECONDS)

    def _ask(self, query: str) -> str:
        """Run a query and return its result, or an empty string while the server accepts no connections."""
        return _run("psql", "--cluster", str(self), "-XtAc", query, "postgres", account=self.account).stdout.strip()


def find_cluster(name: str) -> Cluster:
    """Return the cluster with this name, such as `15/main`. Raises PostgresqlError if it does not exist."""
    if not _NAME.fullmatch(name):
        raise PostgresqlError(f"{name} não é um cluster: escreva VERSÃO/NOME, como em 15/main.")
    version, title, _, _, owner, data, log = _list_line(name)
    # If the data directory is missing, pg_lsclusters shows no owner.
    found = pwd.getpwnam(owner if owner != "<unknown>" else "postgres")
    return Cluster(int(version), title, Path(data), Path(log), Account(found.pw_uid, found.pw_gid))


def _list_line(name: str) -> list[str]:
    if shutil.which("pg_lsclusters") is None:
        raise PostgresqlError(
            "Esta máquina não tem os clusters do Debian (pacote postgresql-common): use --into e inicie o servidor."
        )
    lines = [line.split(maxsplit=6) for line in _run("pg_lsclusters", "--no-header").stdout.splitlines()]
    for line in lines:
        if f"{line[0]}/{line[1]}" == name:
            return line
    known = ", ".join(f"{line[0]}/{line[1]}" for line in lines) or "nenhum"
    raise PostgresqlError(f"Não há cluster {name} nesta máquina ({known}): instale o pacote postgresql desta versão.")


def _run(*command: str, account: Account | None = None) -> subprocess.CompletedProcess[str]:
    options = child_options()
    options["env"] |= {_ROOT: os.environ[_ROOT]} if _ROOT in os.environ else {}
    switch = account.switch if account else {}
    return subprocess.run(command, **options, **switch, capture_output=True, encoding="utf-8", errors="replace")
