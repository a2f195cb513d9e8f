"""`balcao backup`: copies of the whole database server, the log that follows them, and restoring to an instant."""

import asyncio
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer

from balcao.cli.portuguese import Commands
from balcao.core import logs
from balcao.core.context.platform import make_database, make_hash_key
from balcao.core.database import servers
from balcao.core.database.faults import StatementRefused
from balcao.core.database.pool import Database
from balcao.core.database.refusals import refusal
from balcao.core.embedded import backups, clusters, supervisor
from balcao.core.embedded.refusal import explain_refusal
from balcao.core.embedded.supervisor import EmbeddedError
from balcao.core.errors import Unavailable
from balcao.core.logs import log
from balcao.operate import database
from balcao.operate.faults import OperatorFault, writing_to
from balcao.operate.use_cases import run_use_case
from balcao.registry.rights import anonymisation, tombstones
from balcao.settings import Settings

ROUND_SECONDS = 5.0
PROMOTION_SECONDS = 0.1
REASON = "Eliminação repetida depois de restaurada uma cópia de segurança."

# What PostgreSQL answers to a login that may not copy the server, and what is to be done about it.
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

backup = Commands(help="Cópias de segurança do banco: criar, acompanhar, conferir, restaurar.")
Folder = Annotated[Path, typer.Argument(metavar="PASTA", help="Onde as cópias ficam.", show_default=False)]


@backup.command("create")
def create(
    folder: Folder,
    keep: Annotated[
        int | None,
        typer.Option(
            min=1, help="Depois, guarda só as N cópias mais novas e o que foi gravado desde elas.", show_default=False
        ),
    ] = None,
) -> None:
    """Copia o servidor inteiro do banco, com os papéis, e confere a cópia."""
    settings = Settings.load()
    with database.open_database(settings) as url, writing_to(folder):
        login = settings.find_backup_url(url)
        with _blaming(settings):
            made = backups.create(login, asyncio.run(servers.read_version(login)), folder.absolute())
        asyncio.run(_note_once(settings, url, folder))
        pruned = backups.prune(folder.absolute(), keep) if keep else None
    print(made.name)
    if pruned:
        print(f"Apagados: {pruned[0]} cópias, {pruned[1]} segmentos.")


@backup.command("follow")
def follow(folder: Folder) -> None:
    """Recebe o registro de gravações do banco, sem parar, para restaurar a qualquer instante. Ctrl-C encerra."""
    settings = Settings.load()
    with database.open_database(settings) as url, writing_to(folder):
        logs.configure(settings.log_level)  # it is a service, whose interruptions somebody reads
        asyncio.run(_follow(settings, url, folder.absolute()))


@backup.command("verify")
def verify(folder: Folder) -> None:
    """Confere cada cópia com o seu manifesto; termina com 1 se alguma está danificada ou não há nenhuma."""
    made = backups.list_backups(folder)
    if not made:
        raise OperatorFault(f"Em {folder} não há cópia completa: faça uma com `balcao backup create`.")
    damaged = 0
    for each in made:
        try:
            backups.verify(each)
        except EmbeddedError as fault:
            damaged += 1
            print(f"{each.name}  danificada: {fault}")
        else:
            print(f"{each.name}  inteira")
    if damaged:
        raise typer.Exit(1)


@backup.command("restore")
def restore(
    folder: Folder,
    until: Annotated[str | None, typer.Option(help="Até este instante (RFC 3339); sem ele, até o fim.")] = None,
    into: Annotated[
        Path | None,
        typer.Option(help="Só prepara esta pasta de dados para um servidor próprio.", show_default=False),
    ] = None,
    cluster: Annotated[
        str,
        typer.Option(metavar="VERSÃO/NOME", help="O cluster do Debian que vai subir com a cópia: 15/main."),
    ] = "",
) -> None:
    """Restaura a base embutida em BALCAO_DATA_DIR, que não pode ter dados, ou outro servidor; repete as eliminações."""
    settings = Settings.load()
    if cluster:
        _restore_cluster(settings, folder, _parse_instant(until), cluster)
        return
    if into is None and not settings.embedded_database:
        raise OperatorFault(
            "Indique em --cluster o cluster do Debian, ou em --into a pasta de dados, que vai subir com a cópia."
        )
    instant, target = _parse_instant(until), into or settings.data_dir
    chosen = backups.choose(folder.absolute(), instant)
    with writing_to(target):
        backups.prepare_restore(folder.absolute(), chosen, target, instant)
    if into is not None:
        print(f"{into / 'postgres'} está pronta: inicie o PostgreSQL com ela e, depois, `balcao backup erase-again`.")
        return
    with supervisor.start(target) as running:
        asyncio.run(_wait_for_promotion(running))
        backups.finish_restore(running.server.data_dir)
        repeated = _erase_again(folder)
    print(f"Restaurada a cópia {chosen.name}; eliminações repetidas: {repeated}.")


def _restore_cluster(settings: Settings, folder: Path, until: datetime | None, name: str) -> None:
    """Restore into a cluster of Debian's, which runs in the end, and erase again who was erased since."""
    if settings.embedded_database:
        raise OperatorFault(
            "Falta BALCAO_DATABASE_URL, sem a qual as eliminações não se repetem: `set -a; . /etc/balcao/balcao.env`."
        )
    chosen = backups.choose(folder.absolute(), until)
    found = clusters.find_cluster(name)
    with writing_to(found.data):
        former = backups.restore_cluster(folder.absolute(), chosen, found, until)
    if former:
        print(f"O que havia antes está em {former}: apague-o quando não precisar mais.")
    print(f"O PostgreSQL {found} está no ar com a cópia {chosen.name}.")
    print(f"Eliminações repetidas: {_erase_again(folder)}.")


@backup.command("erase-again")
def erase_again(folder: Folder) -> None:
    """Repete, no banco restaurado, as eliminações de cidadãos que a cópia não conhecia."""
    print(f"Eliminações repetidas: {_erase_again(folder)}.")


def _erase_again(folder: Path) -> int:
    erased = tombstones.latest(tombstones.read(folder))
    return run_use_case("registry.anonymise_citizen", lambda call: anonymisation.erase_again(call, erased, REASON))


def _parse_instant(text: str | None) -> datetime | None:
    try:
        instant = None if text is None else datetime.fromisoformat(text)
    except ValueError:
        instant = datetime.min
    if instant is not None and instant.tzinfo is None:
        raise OperatorFault("Escreva --until com fuso, como em 2026-11-22T14:30:00-03:00.")
    return instant and instant.astimezone(UTC)


async def _wait_for_promotion(running: supervisor.Running) -> None:
    """Wait until the recovery has reached its end. Raises OperatorFault when the server gives up before."""
    while True:
        try:
            if not await servers.is_recovering(running.server.url):
                return
        except Unavailable:
            if not running.alive:
                output = running.server.data_dir.with_name("postgres.log")
                raise OperatorFault(explain_refusal(output.read_text(errors="replace"), output)) from None
        await asyncio.sleep(PROMOTION_SECONDS)


@contextmanager
def _blaming(settings: Settings) -> Iterator[None]:
    """Say of a login that may not copy which variable names it, and what it lacks. Raises OperatorFault."""
    try:
        yield
    except (EmbeddedError, Unavailable, StatementRefused) as fault:
        said = str(fault.__cause__ or fault)
        lacking = next((sentence for sign, sentence in _LACKING.items() if sign in said), None)
        sentence = lacking or (refusal(fault) or str(fault)).replace("BALCAO_DATABASE_URL", "{variable}")
        raise OperatorFault(sentence.replace("{variable}", settings.backup_variable)) from fault


async def _note_once(settings: Settings, url: str, folder: Path) -> None:
    opened, key = make_database(settings, url), make_hash_key(settings)
    await opened.open()
    try:
        await tombstones.note(opened, key, folder)
    finally:
        await opened.close()


async def _follow(settings: Settings, url: str, folder: Path) -> None:
    """Keep the receiver running and the tombstones noted until we are told to stop."""
    stopping = asyncio.Event()
    for stop in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(stop, stopping.set)
    opened = make_database(settings, url)
    await opened.open()
    login = settings.find_backup_url(url)
    try:
        # What is wrong from the beginning is said; later the server may be away for a while.
        with _blaming(settings):
            receiver = backups.receive(login, await servers.read_version(login), folder)
    except BaseException:
        await opened.close()
        raise
    print("Recebendo o registro de gravações. Ctrl-C encerra.", flush=True)
    try:
        await _keep_following(settings, opened, login, folder, stopping, receiver)
    finally:
        await opened.close()


async def _keep_following(
    settings: Settings,
    opened: Database,
    login: str,
    folder: Path,
    stopping: asyncio.Event,
    receiver: subprocess.Popen[bytes],
) -> None:
    key = make_hash_key(settings)
    try:
        while not stopping.is_set():
            try:
                if receiver.poll() is not None:
                    receiver = backups.receive(login, await servers.read_version(login), folder)
                await tombstones.note(opened, key, folder)
            except (EmbeddedError, Unavailable, OSError) as fault:
                log.warning("backup.interrupted", code=type(fault).__name__)
            await _pause(stopping)
    finally:
        receiver.send_signal(signal.SIGINT)  # it writes down what it has, and ends
        receiver.wait()


async def _pause(stopping: asyncio.Event) -> None:
    try:
        async with asyncio.timeout(ROUND_SECONDS):
            await stopping.wait()
    except TimeoutError:
        return
