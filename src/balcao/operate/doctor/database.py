"""Check the database: whether it can be reached and is up to date, its roles, and its clock."""

import asyncio
import os
from pathlib import Path

from balcao import app
from balcao.core.access import live
from balcao.core.access.live import Change
from balcao.core.audit.chain import find_oldest_key
from balcao.core.context.platform import make_database
from balcao.core.database import migrations, roles
from balcao.core.database.migrations import MigrationError
from balcao.core.database.pool import Connection, Database
from balcao.core.database.queries import fetch_clock, may_lose_writes, may_stall
from balcao.core.database.refusals import describe_refusal
from balcao.core.database.roles import RoleError
from balcao.core.database.servers import list_servers
from balcao.core.errors import Unavailable
from balcao.operate.database import find_embedded, require_owner
from balcao.operate.doctor.checks import DOWN, STOPPED, UP, Check, Clock, Part, Subject
from balcao.operate.doctor.issuers import describe_skew
from balcao.operate.expiry import format_end
from balcao.operate.faults import OperatorFault
from balcao.operate.postgresql.backups import SLOT
from balcao.settings import Settings, SettingsError


async def _check_database(subject: Subject) -> Part:
    settings = subject.settings
    url = settings.database_url
    if settings.embedded_database:
        embedded = await asyncio.to_thread(find_embedded, settings)
        if embedded is None:
            return _check_data_folder(settings.data_dir)
        url = embedded
    database = make_database(settings, url)
    try:
        await database.open()
        async with database.connection() as connection:
            part = await _check_opened(settings, connection)
            part.problems += await _check_clock(connection, subject.now)
            part.problems += await _check_replication(connection, url)
    except Unavailable as fault:
        return Part(DOWN, problems=[describe_refusal(fault) or str(fault)])
    finally:
        await database.close()
    part.problems += await _check_owner(settings, url)
    return part


async def _check_clock(connection: Connection, now: Clock) -> list[str]:
    """Compare this machine's clock with the database's, because periods, leases and tokens depend on both."""
    before = now()
    theirs = await fetch_clock(connection)
    return describe_skew("ao do banco de dados", theirs - (before + now()) / 2)


async def _check_replication(connection: Connection, url: str) -> list[str]:
    """Report replication settings that can lose acknowledged writes or make commits wait forever."""
    problems = []
    if len(list_servers(url)) > 1 and await may_lose_writes(connection):
        problems.append(
            "As gravações não esperam por nenhuma réplica: se o servidor principal se perder, perdem-se as últimas "
            "que as pessoas viram confirmadas. Defina synchronous_standby_names com pelo menos duas réplicas e deixe "
            "synchronous_commit em `on` (no Patroni: synchronous_mode e synchronous_mode_strict)."
        )
    if await may_stall(connection, SLOT):
        problems.append(
            "A réplica síncrona não tem slot de replicação: se o servidor reiniciar enquanto ela está atrasada, apaga "
            "o log que ela ainda não recebeu. Aí ela não o alcança mais, e toda gravação fica à espera. Crie um slot "
            "para cada réplica (primary_slot_name) ou defina wal_keep_size."
        )
    return problems


def _check_data_folder(folder: Path) -> Part:
    """Check whether a stopped embedded database could start in its folder."""
    if not folder.exists() or (folder.is_dir() and os.access(folder, os.W_OK | os.X_OK)):
        return Part(STOPPED)
    return Part(DOWN, problems=[f"Não é possível gravar na pasta {folder}: confira BALCAO_DATA_DIR."])


async def _check_opened(settings: Settings, connection: Connection) -> Part:
    version, login = await roles.describe_session(connection)
    details = {"version": version, "login": login, "role": settings.database_role, "up_to_date": True}
    part = Part(UP, details)
    try:
        migrations.check_encoding(connection)
    except MigrationError as wrong:
        part.problems.append(str(wrong))
        return part
    # Exclude the schemas of the surfaces, because only a surface's own role has rights in its schema.
    schemas = {one.owner for one in app.list_migrations()} - {roles.PANEL_SCHEMA, roles.SITE_SCHEMA}
    if closed := await roles.list_closed_schemas(connection, schemas):
        part.problems.append(
            f"O papel {settings.database_role} não tem direitos em {', '.join(closed)}: isso acontece quando um "
            "backup é restaurado antes de os papéis existirem. Crie os papéis e restaure de novo, em um banco vazio."
        )
        return part
    try:
        await migrations.check_migrations(connection, app.list_migrations())
    except MigrationError as behind:
        details["up_to_date"] = False
        part.problems.append(str(behind))
    else:
        part.problems += await _check_for_production(settings, connection)
        part.problems += await _check_hash_keys(settings, connection)
        part.notices += [_describe_change(settings, change) for change in await live.list_live_changes(connection)]
    if not settings.sandbox and (others := await roles.list_other_databases(connection, settings.database_role)):
        part.problems.append(
            f"O papel {settings.database_role} tem direitos também em outros bancos deste servidor "
            f"({', '.join(others)}): dê a cada instalação o seu, em BALCAO_DATABASE_ROLE."
        )
    return part


def _describe_change(settings: Settings, change: Change) -> str:
    """Describe maintenance, or a rate limit that an operator has changed, in one sentence."""
    end = f"{format_end(change.ends_at, settings.zone)}, por {change.author}"
    if change.kind == live.MAINTENANCE and change.is_planned:
        return f"O serviço {change.name} tem manutenção planejada {end}: `balcao maintenance status` mostra."
    if change.kind == live.MAINTENANCE:
        return f"O serviço {change.name} está em manutenção {end}: `balcao maintenance off {change.name}` termina."
    return f"O limite {change.name} vale {change.value} {end}: `balcao limits reset {change.name}` o desfaz."


async def _check_hash_keys(settings: Settings, connection: Connection) -> list[str]:
    """Report that a key of the audit trail is missing, so that a person's events can no longer be found."""
    number = await find_oldest_key(connection)
    if number is None or number in {settings.hash_key_number, *settings.former_keys}:
        return []
    return [
        f"A trilha de auditoria tem eventos feitos com a chave {number}, que não está em BALCAO_FORMER_HASH_KEYS: eles "
        "não aparecem quando a pessoa consulta quem viu os seus dados."
    ]


async def _check_for_production(settings: Settings, connection: Connection) -> list[str]:
    """Return the reasons why the production profile refuses to start on this database."""
    if settings.sandbox:
        return []
    problems = []
    try:
        await roles.check_login(connection)
    except RoleError as problem:
        problems.append(str(problem))
    try:
        await app.refuse_demo_data(connection, settings)
    except SettingsError as known:
        problems.append(str(known))
    return problems


async def _check_owner(settings: Settings, url: str) -> list[str]:
    """Check the owner's login if it is configured. Return sentences about problems."""
    if not settings.database_owner_url:
        return []
    try:
        database = Database(await require_owner(settings, url), size=2, role=None)
    except OperatorFault as fault:
        return [str(fault)]
    await database.open()
    try:
        async with database.connection() as connection:
            if await roles.owns(connection):
                return []
    finally:
        await database.close()
    return ["O usuário de BALCAO_DATABASE_OWNER_URL não é dono das tabelas: use o que executou `balcao migrate`."]


CHECK = Check(
    name="database",
    part="database",
    looks_at="the database of `BALCAO_DATABASE_URL`, the owner's login, and live changes",
    wrong="no answer; a role that lacks rights, has rights in other databases, or has too many rights for production; "
    "several servers without a synchronous replica; a synchronous replica without a replication slot; a PgBouncer that "
    "changes sessions between transactions; an encoding other than UTF-8; migrations that are missing or belong to "
    "a newer release; demo data in production; an owner who owns no table; a key of the audit trail that is not in "
    "`BALCAO_FORMER_HASH_KEYS`; a clock that differs from this machine's by more than 5 seconds",
    remedy="correct the variable or the role that the message names; `balcao migrate` brings the database up to "
    "date; NTP sets the clocks",
    examine=_check_database,
)
