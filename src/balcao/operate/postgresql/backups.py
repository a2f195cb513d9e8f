"""Base backups and the write-ahead log after them: create, prune and restore with PostgreSQL's own programs.

A backup folder contains base backups, `base/<completion time>`, each of them a whole data directory, and `wal` with
every segment since the oldest base backup. A base backup contains the whole server: databases, roles and rights.
"""

import os
import re
import shutil
import subprocess
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import SplitResult, parse_qs, unquote, urlsplit, urlunsplit

from balcao.core.database.servers import list_servers
from balcao.operate.postgresql.accounts import Account, PostgresqlError, child_options
from balcao.operate.postgresql.clusters import Cluster
from balcao.operate.postgresql.data_directory import locate_data
from balcao.operate.postgresql.programs import find_binaries, find_programs

SLOT = "balcao_backup"
_NAME = "%Y%m%dT%H%M%SZ"
_UNFINISHED = ".unfinished"
_START = re.compile(r"^START WAL LOCATION: \S+ \(file ([0-9A-F]{24})\)$", re.MULTILINE)


def list_backups(folder: Path) -> list[Path]:
    """Return the complete base backups, oldest first."""
    return sorted(made for made in (folder / "base").glob("*Z") if (made / "backup_manifest").exists())


def completed_at(backup: Path) -> datetime:
    """Return when a base backup was completed. It can be restored to any later time."""
    return datetime.strptime(backup.name, _NAME).replace(tzinfo=UTC)


def create_backup(url: str, version: int, folder: Path) -> Path:
    """Copy the whole server at `url`, whose major version is `version`, and verify the copy.

    Raises PostgresqlError if one of PostgreSQL's programs is missing or fails.
    """
    (folder / "base").mkdir(mode=0o700, parents=True, exist_ok=True)
    for left in (folder / "base").glob(f"*{_UNFINISHED}"):
        shutil.rmtree(left)
    unfinished = folder / "base" / f"{os.getpid()}{_UNFINISHED}"
    _run(find_programs(version), "pg_basebackup", url, "-D", unfinished, "-c", "fast", "--manifest-checksums=SHA256")
    verify_backup(unfinished)
    complete = unfinished.with_name(datetime.now(UTC).strftime(_NAME))
    unfinished.rename(complete)
    return complete


def prune_backups(folder: Path, keep: int) -> tuple[int, int]:
    """Delete all but the newest `keep` copies, then the log segments that no copy needs.

    Return how many copies and segments were deleted. It is then possible to restore to any time since the oldest
    remaining copy. Raises PostgresqlError, before anything is deleted, if that copy's first segment is unknown.
    """
    kept = list_backups(folder)[-keep:]
    if not kept:
        return 0, 0
    first = _find_first_segment(kept[0])
    old = [backup for backup in list_backups(folder) if backup not in kept]
    for backup in old:
        # Rename the copy first, so that no incomplete copy has a valid name if this process is killed during the
        # deletion.
        leaving = backup.with_name(backup.name + _UNFINISHED)
        backup.rename(leaving)
        shutil.rmtree(leaving)
    wal = folder / "wal"
    if not wal.exists():
        return len(old), 0
    before = len(list(wal.iterdir()))
    _run(find_binaries(kept[0], _find_current_account()), "pg_archivecleanup", "", wal, first)
    return len(old), before - len(list(wal.iterdir()))


def _find_first_segment(backup: Path) -> str:
    """Return the name of the first segment that a copy needs. Raises PostgresqlError if the copy does not name it."""
    label = backup / "backup_label"
    found = _START.search(label.read_text(errors="replace")) if label.exists() else None
    if found is None:
        raise PostgresqlError(f"A cópia {backup.name} não diz onde começa: confira-a com `balcao backup verify`.")
    return found[1]


def verify_backup(backup: Path) -> None:
    """Check a base backup, and the part of the log that it needs, against its manifest.

    Raises PostgresqlError if they differ.
    """
    _run(find_binaries(backup, _find_current_account()), "pg_verifybackup", "", "--quiet", backup)


def receive_log(url: str, version: int, folder: Path) -> subprocess.Popen[bytes]:
    """Start pg_receivewal, which receives the write-ahead log (WAL) as the server writes it.

    A replication slot retains the WAL that has not been received yet.
    """
    wal = folder / "wal"
    wal.mkdir(mode=0o700, parents=True, exist_ok=True)
    programs = find_programs(version)
    _run(programs, "pg_receivewal", url, "--slot", SLOT, "--create-slot", "--if-not-exists")
    command, options = _prepare(programs, "pg_receivewal", url, "-D", wal, "--slot", SLOT, "--synchronous")
    return subprocess.Popen(command, stderr=subprocess.DEVNULL, **options)


def choose_backup(folder: Path, until: datetime | None) -> Path:
    """Return the newest base backup that was complete at this time. Raises PostgresqlError if there is none."""
    fitting = [backup for backup in list_backups(folder) if until is None or completed_at(backup) <= until]
    if not fitting:
        raise PostgresqlError(
            f"Em {folder} não há cópia completa anterior a isso: faça uma com `balcao backup create`."
        )
    return fitting[-1]


def prepare_restore(folder: Path, backup: Path, target: Path, until: datetime | None) -> None:
    """Prepare the data directory `target`/postgres. Its server will recover to `until` or to the end of the log.

    Raises PostgresqlError if the backup is damaged, or if the directory already contains data.
    """
    verify_backup(backup)
    target.mkdir(parents=True, exist_ok=True)
    data, account = locate_data(target.resolve())
    if data.exists():
        raise PostgresqlError(f"Já há dados em {data}: restaure em outra pasta, em BALCAO_DATA_DIR.")
    _lay_out(folder, backup, data, account, until).rename(data)


def restore_cluster(folder: Path, backup: Path, cluster: Cluster, until: datetime | None) -> Path | None:
    """Replace a cluster's data with a backup, start its server, and wait until it accepts writes.

    The former data are kept. Return the path of the former data, or None if there were none. Raises PostgresqlError if
    the backup is damaged, or if the server is running, has another version, or does not start or recover. In the last
    two cases the message contains the path of the former data.
    """
    verify_backup(backup)
    version = (backup / "PG_VERSION").read_text("utf-8").strip()
    if version != str(cluster.version):
        raise PostgresqlError(f"A cópia {backup.name} é do PostgreSQL {version}, e o cluster {cluster} não.")
    if not cluster.is_down:
        raise PostgresqlError(
            f"O PostgreSQL {cluster} está no ar: pare os processos do Balcão e, depois, "
            f"`pg_ctlcluster {cluster.version} {cluster.name} stop`."
        )
    # The former data remain in their place until the copy is complete next to them.
    fresh, former = _lay_out(folder, backup, cluster.data, cluster.account, until), None
    if cluster.data.exists():
        former = cluster.data.with_name(f"{cluster.data.name}.{datetime.now(UTC).strftime(_NAME)}")
        cluster.data.rename(former)
    fresh.rename(cluster.data)
    try:
        cluster.start()
        cluster.wait_until_recovered()
    except PostgresqlError as fault:
        raise PostgresqlError(f"{fault} O que havia antes está em {former}." if former else str(fault)) from fault
    finish_restore(cluster.data)
    return former


def _lay_out(folder: Path, backup: Path, data: Path, account: Account, until: datetime | None) -> Path:
    """Copy the backup and the log to folders next to `data`, and write the recovery settings.

    Return the copied data directory, which the caller renames to `data`.
    """
    fresh, staged = data.with_name(f"{data.name}.restoring"), _locate_staged(data)
    for place in (fresh, staged):
        shutil.rmtree(place, ignore_errors=True)
    shutil.copytree(backup, fresh, symlinks=True)
    _stage_log(folder / "wal", staged)
    # Write the recovery target even if it is empty, because the copied file may contain the target of an earlier
    # recovery.
    instant = until.isoformat() if until else ""
    with (fresh / "postgresql.auto.conf").open("a") as settings:
        settings.write(
            f"\nrestore_command = 'cp \"{staged}/%f\" \"%p\"'\nrecovery_target_time = '{instant}'\n"
            "recovery_target_timeline = 'latest'\nrecovery_target_action = 'promote'\n"
        )
    (fresh / "recovery.signal").touch()
    _give(account, fresh, staged)
    return fresh


def finish_restore(data: Path) -> None:
    """Remove what only the recovery needed: its settings, and the staged copy of the log.

    A replica that is created later would copy the settings, and stop at the former recovery target.
    """
    staged = _locate_staged(data)
    settings = data / "postgresql.auto.conf"
    lines = settings.read_text("utf-8").splitlines(keepends=True)
    _replace(settings, "".join(line for line in lines if not _is_of_restore(line, staged)))
    shutil.rmtree(staged, ignore_errors=True)


def _is_of_restore(line: str, staged: Path) -> bool:
    return line.startswith("recovery_target") or (line.startswith("restore_command") and f"{staged}/" in line)


def _replace(path: Path, text: str) -> None:
    """Replace a file's content in one step. Its owner and mode do not change."""
    former, fresh = path.stat(), path.with_name(f"{path.name}.new")
    fresh.write_text(text, "utf-8")
    os.chown(fresh, former.st_uid, former.st_gid)
    fresh.chmod(former.st_mode)
    fresh.replace(path)


def _locate_staged(data: Path) -> Path:
    return data.with_name(f"{data.name}.wal")


def _stage_log(wal: Path, staged: Path) -> None:
    """Copy the log to a folder that the server's account can read. Give the partial segment its final name."""
    staged.mkdir(mode=0o700)
    for segment in wal.iterdir() if wal.exists() else ():
        name = segment.name.removesuffix(".partial")
        if segment.name == name or not (wal / name).exists():
            shutil.copy(segment, staged / name)


def _give(account: Account, *trees: Path) -> None:
    for tree in trees:
        for path in (tree, *tree.rglob("*")):
            account.own(path)
        tree.chmod(0o700)


def _find_current_account() -> Account:
    return Account(os.geteuid(), os.getegid())


def _prepare(programs: Path, program: str, url: str, *words: object) -> tuple[list[str], dict[str, Any]]:
    """Return the command and its `subprocess` options.

    The password is passed in the environment, which other users cannot read.
    """
    options = child_options()
    command = [str(programs / program), *map(str, words)]
    if url:
        parts = _choose_primary(url)
        login, _, place = parts.netloc.rpartition("@")
        user, _, password = login.partition(":")
        command += ["-d", urlunsplit(parts._replace(netloc=f"{user}@{place}"))]
        options["env"] |= {"PGPASSWORD": unquote(password)} if password else {}
    return command, options


def _choose_primary(url: str) -> SplitResult:
    """Return a database URL that selects the server that accepts writes if it names several servers.

    PostgreSQL's programs otherwise use the first server that answers, and a replica may lag.
    """
    parts = urlsplit(url)
    if len(list_servers(url)) < 2 or "target_session_attrs" in parse_qs(parts.query):
        return parts
    return parts._replace(query="&".join(filter(None, (parts.query, "target_session_attrs=read-write"))))


def _run(programs: Path, program: str, url: str, *words: object) -> None:
    command, options = _prepare(programs, program, url, *words)
    done = subprocess.run(command, **options, capture_output=True, encoding="utf-8", errors="replace")
    if done.returncode:
        said = done.stderr.strip().splitlines()
        raise PostgresqlError(f"{program} não terminou: {said[-1] if said else 'sem explicação.'}")
