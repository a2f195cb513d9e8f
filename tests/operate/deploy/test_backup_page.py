"""Follow docs/operate/backup.md line by line, with Debian's PostgreSQL and the files of `init production`."""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from balcao.core.values.cpf import Cpf
from balcao.operate.deploy.production import parse_settings
from tests.support.issuer import Issuer
from tests.support.polling import PATIENCE, until_now
from tests.support.server import free_port
from tests.support.terminal import BALCAO, open_folder, remove

pytestmark = [pytest.mark.debian, pytest.mark.long]
ROOT = Path(__file__).parents[3]
PAGE = (ROOT / "docs/operate/backup.md").read_text("utf-8")
INSTANT = "2026-11-22T14:30:00-03:00"
STAYS, ERASED, LATER = (Cpf.with_stem(f"95100000{number}").digits for number in (1, 2, 3))
WRITE = """
WITH head AS (INSERT INTO registry.mirror_head (cpf) VALUES ('{cpf}'))
INSERT INTO registry.register (cpf, field, value, at, origin)
VALUES ('{cpf}', 'nomeExibicao', '"Inventada"', now(), 'crm')
"""
PEOPLE = "SELECT string_agg(DISTINCT cpf, ',' ORDER BY cpf) FROM registry.register"
RECEIVED = "SELECT count(*) FROM pg_stat_replication WHERE application_name = 'pg_receivewal' AND flush_lsn >= '{}'"
NOTED = "SELECT string_agg(kind, ',' ORDER BY kind) FROM platform.backup"


class Debian:
    """A simulated Debian in a temporary folder, with a PostgreSQL cluster, /etc/balcao, systemd units and backups."""

    def __init__(self, folder: Path, issuer: Issuer) -> None:
        self.folder = folder
        self.version = max(int(path.name) for path in Path("/usr/lib/postgresql").iterdir())
        for name in ("etc", "units", "state", "clusters", "data", "bin", "copies"):
            (folder / name).mkdir()
        for name in ("clusters", "data"):
            shutil.chown(folder / name, "postgres", "postgres")
        (folder / "bin/balcao").symlink_to(BALCAO)
        systemctl = folder / "bin/systemctl"
        systemctl.write_text(f'#!/bin/sh\nexec {sys.executable} {Path(__file__).with_name("systemctl.py")} "$@"\n')
        systemctl.chmod(0o755)
        own = {name: value for name, value in os.environ.items() if not name.startswith(("BALCAO_", "CRM_"))}
        self.environment = own | {
            "PATH": f"{folder / 'bin'}:{os.environ['PATH']}",
            "PG_CLUSTER_CONF_ROOT": str(folder / "clusters"),
            "UNITS": str(folder / "units"),
        }
        self.port, self._issuer = free_port(), issuer

    def run(self, script: str) -> str:
        """Run shell lines as an administrator would type them. Each line must succeed."""
        done = subprocess.run(
            ["sh", "-eu", "-c", script],
            cwd=self.folder,
            env=self.environment,
            capture_output=True,
            text=True,
            timeout=PATIENCE * 4,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def follow(self, block: str, before: str = "") -> str:
        """Run `before`, then a block of the page. Replace only the folders and the PostgreSQL version."""
        for place, own in {
            "/var/lib/balcao-backup": "copies",
            "/etc/balcao": "etc",
            "/etc/systemd/system": "units",
        }.items():
            block = block.replace(place, str(self.folder / own))
        return self.run(before + re.sub(r"\b15([/ ])main\b", rf"{self.version}\1main", block))

    def sql(self, statement: str, database: str = "balcao") -> str:
        """Run a query as the PostgreSQL superuser."""
        asked = ["psql", "--cluster", f"{self.version}/main", "-XtAqc", statement, database]
        done = subprocess.run(
            ["runuser", "-u", "postgres", "--", *asked], cwd="/", env=self.environment, capture_output=True, text=True
        )
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()

    def install(self) -> None:
        """Follow those parts of docs/operate/install.md that backups require."""
        data, log = self.folder / "data/main", self.folder / "data/main.log"
        places = f"--datadir {data} --logfile {log} --socketdir {self.folder / 'data'} --port {self.port}"
        self.run(f"pg_createcluster {self.version} main {places} --locale C --encoding UTF8 -- --no-sync")
        self.run(f"pg_ctlcluster {self.version} main start")
        answers = (
            f"--public-url https://balcao.cidade.gov.br --auth-issuer {self._issuer.address} --allow-loopback-issuer"
            f" --database localhost:{self.port} --port {free_port()} --management-port {free_port()}"
            f" --program {BALCAO} --gateway nginx"
        )
        self.run(f"balcao init production {answers}")
        roles = (self.folder / "production/database/roles.sql").read_text("utf-8")
        for statement in re.findall(r"^[A-Z].+;$", roles, re.MULTILINE):
            self.sql(statement, "postgres")
        for name in ("balcao.env", "balcao-owner.env"):
            text = (self.folder / "production" / name).read_text("utf-8")
            text = text.replace("/var/lib/balcao", str(self.folder / "state"))
            (self.folder / "etc" / name).write_text(text)
        for unit in (self.folder / "production/systemd").iterdir():
            (self.folder / "units" / unit.name).write_text(self._localise(unit.read_text("utf-8")))
        for unit in (self.folder / "production/backup").iterdir():
            unit.write_text(self._localise(unit.read_text("utf-8")))
        self.run(self.read_settings() + "balcao migrate")

    def _localise(self, text: str) -> str:
        text = text.replace("/etc/balcao", str(self.folder / "etc"))
        return text.replace("/var/lib/balcao-backup", str(self.folder / "copies"))

    def read_settings(self) -> str:
        etc = self.folder / "etc"
        return f"set -a; . {etc / 'balcao.env'}; . {etc / 'balcao-owner.env'}; set +a\n"

    def end(self) -> None:
        for unit in ("balcao-backup-follow", "balcao-api", "balcao-worker"):
            if (self.folder / "units" / f"{unit}.pid").exists():
                self.run(f"systemctl stop {unit}")
        if (self.folder / "clusters" / str(self.version)).exists():
            self.run(f"pg_dropcluster --stop {self.version} main")


@pytest.fixture(scope="module")
def debian(issuer: Issuer) -> Iterator[Debian]:
    folder = open_folder()
    machine = Debian(folder, issuer)
    try:
        machine.install()
        yield machine
    finally:
        machine.end()
        remove(folder)


def blocks() -> list[str]:
    """Return the shell blocks of the page in their order."""
    return re.findall(r"^```sh\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("", "O usuário de BALCAO_DATABASE_URL não pode copiar o servidor: indique em BALCAO_BACKUP_URL"),
        ("BALCAO_BACKUP_URL={owner}", "O usuário de BALCAO_BACKUP_URL não pode copiar o servidor"),
        ("BALCAO_BACKUP_URL={wrong}", "O banco de dados recusou o usuário ou a senha de BALCAO_BACKUP_URL"),
    ],
)
def test_a_login_that_may_not_copy_is_told_by_its_own_variable(debian: Debian, line: str, sentence: str) -> None:
    owner = parse_settings((debian.folder / "etc/balcao-owner.env").read_text("utf-8"))["BALCAO_DATABASE_OWNER_URL"]
    login = line.format(owner=owner, wrong=owner.replace("://balcao:", "://balcao:x"))
    tried = f"set -a; . {debian.folder / 'etc/balcao.env'}\n{login}\nset +a\nbalcao backup {{}} copies 2>&1 || true"
    for command in ("create", "follow"):
        assert sentence in debian.run(tried.format(command))


def refuse_what_is_no_stopped_cluster(debian: Debian) -> None:
    tried = f"{debian.read_settings()}balcao backup restore copies --cluster {{}} 2>&1 || true"
    assert "está no ar: pare os processos" in debian.run(tried.format(f"{debian.version}/main"))
    assert "Não há cluster 15/outro" in debian.run(tried.format("15/outro"))
    assert "não é um cluster" in debian.run(tried.format("main"))


def fail_to_restore(debian: Debian) -> None:
    """Fail before the copy is complete, which changes nothing. Then fail to recover, which moves the former data."""
    cluster, data = f"{debian.version}/main", debian.folder / "data"
    debian.run(f"pg_ctlcluster {debian.version} main stop")
    tried = f"{debian.read_settings()}balcao backup restore copies --cluster {cluster} --until 2099-01-01T00:00:00Z"
    before, unreadable = set(data.glob("main.2*")), debian.folder / "copies/wal/folder"
    unreadable.mkdir()
    assert "está em" not in debian.run(f"{tried} 2>&1 || true")
    unreadable.rmdir()
    assert (data / "main/PG_VERSION").exists()
    assert set(data.glob("main.2*")) == before
    said = debian.run(f"{tried} 2>&1 || true")
    (former,) = set(data.glob("main.2*")) - before
    assert f"O que havia antes está em {former}." in said


def test_the_page_followed_line_by_line_brings_the_city_back(debian: Debian) -> None:
    install, by_hand, restore = blocks()
    debian.sql(WRITE.format(cpf=STAYS))
    debian.follow(install)
    erased = debian.folder / "copies/erased.jsonl"
    until_now(lambda: any((debian.folder / "copies/wal").glob("0*")))
    debian.sql(WRITE.format(cpf=ERASED))
    until = datetime.now(UTC).isoformat()
    debian.sql(WRITE.format(cpf=LATER))
    anonymise = f"balcao citizen anonymise {ERASED} --reason 'Pedido do titular'"
    rehearsed = debian.run(f"{debian.read_settings()}{anonymise} --dry-run")
    (confirmation,) = re.findall(r'"confirmation": "(.+?)"', rehearsed)
    debian.run(f"{debian.read_settings()}{anonymise} --confirmation {confirmation}")
    written = debian.sql("SELECT pg_current_wal_flush_lsn()")
    until_now(lambda: debian.sql(RECEIVED.format(written)) == "1")
    until_now(lambda: erased.exists() and ERASED in erased.read_text("utf-8"))
    _, create, verify = by_hand.splitlines()
    backup_login = f"set -a; . {debian.folder / 'etc/balcao-backup.env'}; set +a\n"
    assert "inteira" in debian.follow(verify, debian.read_settings() + backup_login)
    until_now(lambda: debian.sql(NOTED) == "copy,log")
    refuse_what_is_no_stopped_cluster(debian)
    said = debian.follow(restore.replace(INSTANT, until))
    assert "Eliminações repetidas: 1." in said
    assert f"O PostgreSQL {debian.version}/main está no ar" in said
    assert debian.sql(PEOPLE) == STAYS
    assert debian.sql("SELECT count(*) FROM pg_file_settings WHERE name ~ '^(recovery_target|restore_command)'") == "0"
    assert debian.sql(NOTED) == ""  # the restore clears the record of backups
    assert debian.sql("SELECT pg_is_in_recovery()") == "f"
    assert re.search(rf"está em {debian.folder}/data/main\.\d+T\d+Z:", said)
    assert "--keep 7" in create
    fail_to_restore(debian)
