"""Base backups of the whole database server, its write-ahead log (WAL), and point-in-time recovery."""

import asyncio
import functools
import shutil
import signal
import subprocess
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

from balcao import sandbox
from balcao.core import logs
from balcao.core.context.call import Call
from balcao.core.context.platform import make_database, make_hash_key
from balcao.core.database import servers
from balcao.core.database.faults import StatementRefused
from balcao.core.database.migrations import MigrationError
from balcao.core.database.pool import Connection, Database
from balcao.core.database.refusals import describe_refusal
from balcao.core.errors import Unavailable
from balcao.core.live import backups as watch
from balcao.core.logs import log
from balcao.operate import database, file_copies
from balcao.operate.faults import OperatorFault, writing_to
from balcao.operate.postgresql import backups, clusters
from balcao.operate.postgresql.accounts import PostgresqlError
from balcao.operate.use_cases import run_use_case
from balcao.registry.person.files.copies import FileCopies, RestoredFiles
from balcao.registry.rights import anonymisation, tombstones
from balcao.settings import Settings

ROUND_SECONDS = 5.0
PROMOTION_SECONDS = 0.1
REASON = "Eliminação repetida depois de restaurada uma cópia de segurança."

# Fragments of the errors that PostgreSQL raises if a login may not copy the server, each with the sentence for the
# operator.
_NO_REPLICATION = (
    "O usuário de {variable} não pode copiar o servidor: indique em BALCAO_BACKUP_URL o papel balcao_backup, que "
    "database/roles.sql cria (`CREATE ROLE balcao_backup LOGIN REPLICATION`)."
)
_LACKING = {
    "replication role": _NO_REPLICATION,
    "WAL sender": _NO_REPLICATION,
    "no pg_hba.conf entry": "O servidor do banco não deixa o usuário de {variable} copiar a partir desta máquina: "
    "acrescente ao pg_hba.conf dele as linhas `host replication` e `host` com este usuário, e recarregue-o.",
    "permission denied for database": "O usuário de {variable} não pode conectar-se ao banco: "
    "`GRANT CONNECT ON DATABASE balcao TO balcao_backup`, como em database/roles.sql.",
}


class Copied(NamedTuple):
    """A new copy, and how many older copies and log segments were deleted. `erased` is None without `keep`."""

    name: str
    erased: tuple[int, int] | None


class Completed(NamedTuple):
    """The result of the steps after a restore: the files put back or lost, and the number of repeated erasures."""

    files: RestoredFiles
    repeated: int


class RestoredEmbedded(NamedTuple):
    """The result of restoring the embedded database: the copy's name, and the result of the steps that followed."""

    copy: str
    completed: Completed


class RestoredCluster(NamedTuple):
    """The result of restoring a cluster: the name of the copy, the cluster, and the folder with the former data."""

    copy: str
    cluster: str
    former: Path | None


def create_copy(folder: Path, keep: int | None) -> Copied:
    """Copy the whole server, verify the copy, and copy the files. With `keep`, delete all but the newest `keep` copies.

    Raises OperatorFault if the folder cannot be written or the copy fails, for example because the login may not copy
    the server or a file is missing, and PostgresqlError if the deletion fails.
    """
    settings = Settings.load()
    with database.open_database(settings) as url, writing_to(folder):
        login = settings.find_backup_url(url)
        with _explain_login(settings):
            made = backups.create_backup(login, asyncio.run(servers.read_server_version(login)), folder.absolute())
        key = make_hash_key(settings)
        asyncio.run(_use_database(settings, url, lambda opened: tombstones.note_tombstones(opened, key, folder)))
        erased = backups.prune_backups(folder.absolute(), keep) if keep else None
        asyncio.run(file_copies.copy_all(settings, url, folder, forget=keep is not None))
        # Record the success last, so that doctor and the alerts notice a copy that lacks files.
        free = shutil.disk_usage(folder).free
        asyncio.run(_use_database(settings, url, lambda opened: _note(opened, lambda one: watch.note_copy(one, free))))
        return Copied(made.name, erased)


def follow_log(folder: Path, on_begin: Callable[[], None]) -> None:
    """Receive the server's log until SIGTERM or SIGINT arrives. Raises OperatorFault if it cannot start."""
    settings = Settings.load()
    with database.open_database(settings) as url, writing_to(folder):
        logs.configure(settings.log_level)  # the command runs as a service, so operators read its log
        asyncio.run(_follow(settings, url, folder.absolute(), on_begin))


def verify_copies(folder: Path) -> Iterator[tuple[str, str | None]]:
    """Yield the name of each copy, and its error or None. Raises OperatorFault if there is no copy."""
    made = backups.list_backups(folder)
    if not made:
        raise OperatorFault(f"Em {folder} não há cópia completa: faça uma com `balcao backup create`.")
    for each in made:
        try:
            backups.verify_backup(each)
        except PostgresqlError as fault:
            yield each.name, str(fault)
        else:
            yield each.name, None


def restore_embedded(folder: Path, until: str | None) -> RestoredEmbedded:
    """Restore a copy into the embedded database, which must be empty. Then repeat the erasures that the copy lacks."""
    settings = Settings.load()
    if not settings.embedded_database:
        raise OperatorFault(
            "Indique em --cluster o cluster do Debian, ou em --into a pasta de dados, que vai subir com a cópia."
        )
    chosen = _prepare(folder, until, settings.data_dir)
    with sandbox.load(settings, "postgresql").start(settings.data_dir) as running:
        asyncio.run(_wait_for_promotion(running))
        backups.finish_restore(running.server.data_dir)
        return RestoredEmbedded(chosen, erase_again(folder))


def prepare_folder(folder: Path, until: str | None, target: Path) -> Path:
    """Restore a copy to a data directory for a separate server, and return its path."""
    _prepare(folder, until, target)
    return target / "postgres"


def _prepare(folder: Path, until: str | None, target: Path) -> str:
    instant = _parse_instant(until)
    chosen = backups.choose_backup(folder.absolute(), instant)
    with writing_to(target):
        backups.prepare_restore(folder.absolute(), chosen, target, instant)
    return chosen.name


def restore_cluster(folder: Path, until: str | None, name: str) -> RestoredCluster:
    """Restore a copy into a Debian cluster and start the cluster.

    Erasures that the copy does not contain are not repeated.
    """
    settings = Settings.load()
    instant = _parse_instant(until)
    if settings.embedded_database:
        raise OperatorFault(
            "Falta BALCAO_DATABASE_URL, sem a qual as eliminações não se repetem: `set -a; . /etc/balcao/balcao.env`."
        )
    chosen = backups.choose_backup(folder.absolute(), instant)
    found = clusters.find_cluster(name)
    with writing_to(found.data):
        former = backups.restore_cluster(folder.absolute(), chosen, found, instant)
    return RestoredCluster(chosen.name, str(found), former)


def erase_again(folder: Path) -> Completed:
    """Complete a restored database: put its files back, and repeat the erasures that the copy does not contain.

    Also delete the records about the former server's copies and log. Raises OperatorFault if the copy is older than the
    program, because its database must be migrated first.
    """
    erased = tombstones.find_latest_tombstones(tombstones.read_tombstones(folder))

    async def complete(call: Call) -> Completed:
        files = await file_copies.restore(call, folder)
        # The former server's slot and log no longer exist, so the records about them would cause false alarms.
        await _note(call.platform.database, watch.forget_copies)
        return Completed(files, await anonymisation.erase_people_again(call, erased, REASON))

    try:
        return run_use_case("registry.anonymise_citizen", complete)
    except MigrationError as fault:
        raise OperatorFault(
            f"{fault} Depois, antes de iniciar os processos, execute `balcao backup erase-again {folder}`: os arquivos "
            "ainda não foram repostos, nem as eliminações repetidas."
        ) from fault


def _parse_instant(text: str | None) -> datetime | None:
    try:
        instant = None if text is None else datetime.fromisoformat(text)
    except ValueError:
        instant = datetime.min
    if instant is not None and instant.tzinfo is None:
        raise OperatorFault("Escreva --until com fuso, como em 2026-11-22T14:30:00-03:00.")
    return instant and instant.astimezone(UTC)


async def _wait_for_promotion(running: Any) -> None:
    """Wait until the recovery ends. Raises OperatorFault if the server stops first."""
    while True:
        try:
            if not await servers.is_recovering(running.server.url):
                return
        except Unavailable:
            if not running.alive:
                raise OperatorFault(running.explain_end()) from None
        await asyncio.sleep(PROMOTION_SECONDS)


@contextmanager
def _explain_login(settings: Settings) -> Iterator[None]:
    """Convert an exception in the block to OperatorFault, which explains it and names the setting with the login."""
    try:
        yield
    except (PostgresqlError, Unavailable, StatementRefused) as fault:
        said = str(fault.__cause__ or fault)
        lacking = next((sentence for sign, sentence in _LACKING.items() if sign in said), None)
        sentence = lacking or (describe_refusal(fault) or str(fault)).replace("BALCAO_DATABASE_URL", "{variable}")
        raise OperatorFault(sentence.replace("{variable}", settings.backup_variable)) from fault


async def _use_database(settings: Settings, url: str, work: Callable[[Database], Awaitable[None]]) -> None:
    opened = make_database(settings, url)
    await opened.open()
    try:
        await work(opened)
    finally:
        await opened.close()


async def _note(opened: Database, note: Callable[[Connection], Awaitable[None]]) -> None:
    """Write a record about the copies to the database, for other machines. Log a warning if the database refuses it."""
    try:
        async with opened.connection() as connection:
            await note(connection)
    except StatementRefused as fault:
        log.warning("backup.not_noted", code=type(fault).__name__)


async def _follow(settings: Settings, url: str, folder: Path, on_begin: Callable[[], None]) -> None:
    """Keep the receiver running and record tombstones until a signal arrives."""
    stopping = asyncio.Event()
    for stop in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(stop, stopping.set)
    opened = make_database(settings, url)
    await opened.open()
    files = file_copies.open_copies(settings, opened, folder)
    login = settings.find_backup_url(url)
    try:
        # An error at the start is raised. Later, the server may be down for a while without ending this command.
        with _explain_login(settings):
            receiver = backups.receive_log(login, await servers.read_server_version(login), folder)
    except BaseException:
        await opened.close()
        raise
    on_begin()
    try:
        await _keep_following(settings, opened, login, folder, stopping, receiver, files)
    finally:
        await opened.close()


async def _keep_following(
    settings: Settings,
    opened: Database,
    login: str,
    folder: Path,
    stopping: asyncio.Event,
    receiver: subprocess.Popen[bytes],
    files: FileCopies,
) -> None:
    key = make_hash_key(settings)
    try:
        while not stopping.is_set():
            try:
                if receiver.poll() is not None:
                    receiver = backups.receive_log(login, await servers.read_server_version(login), folder)
                await tombstones.note_tombstones(opened, key, folder)
                free = shutil.disk_usage(folder).free
                await _note(opened, functools.partial(watch.note_log, slot=backups.SLOT, free_bytes=free))
                if missing := (await files.copy_new()).missing:
                    log.warning("backup.files_missing", count=missing)
            except (PostgresqlError, Unavailable, OSError) as fault:
                log.warning("backup.interrupted", code=type(fault).__name__)
            await _pause(stopping)
    finally:
        receiver.send_signal(signal.SIGINT)  # the receiver stores the received log, then exits
        receiver.wait()


async def _pause(stopping: asyncio.Event) -> None:
    try:
        async with asyncio.timeout(ROUND_SECONDS):
            await stopping.wait()
    except TimeoutError:
        return
