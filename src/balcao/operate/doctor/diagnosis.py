"""Checks a configuration and the parts that it names by calling them; starts and changes nothing."""

import asyncio
import os
import time
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx
import msgspec
from redis.asyncio import Redis
from redis.exceptions import RedisError

from balcao import app
from balcao.core.access import live
from balcao.core.access.live import Change
from balcao.core.access.rules import WEBHOOK_CLIENTS
from balcao.core.audit.chain import find_oldest_key
from balcao.core.context.platform import make_database
from balcao.core.database import migrations, roles
from balcao.core.database.migrations import MigrationError
from balcao.core.database.pool import Connection, Database
from balcao.core.database.queries import fetch_clock
from balcao.core.database.refusals import refusal
from balcao.core.database.roles import RoleError
from balcao.core.embedded import supervisor
from balcao.core.errors import Unavailable
from balcao.core.mail import MailFolder, MailRefused, create_mailer
from balcao.gateway.instance import HEADER, name_instance
from balcao.operate import database as databases
from balcao.operate.certificates import describe_distrust, is_distrust
from balcao.operate.doctor import gateway as installed_gateway
from balcao.operate.doctor import installation as installed
from balcao.operate.doctor.issuers import Clock, check_issuers, describe_skew
from balcao.operate.doctor.management import SILENT, check_management
from balcao.operate.doctor.program import check_program
from balcao.operate.doctor.replicas import check_replicas
from balcao.operate.doctor.traces import check_traces
from balcao.operate.expiry import format_end
from balcao.operate.faults import OperatorFault
from balcao.operate.masking import mask
from balcao.operate.unknown_variables import list_unknown_variables
from balcao.settings import Settings, SettingsError, variable_of
from balcao.zones import load_zone

TIMEOUT_SECONDS = 5.0
DAYS_OF_NOTICE = 14
UP, STOPPED, DOWN = "up", "stopped", "down"


class Part(msgspec.Struct, omit_defaults=True):
    """`state`: up, down, or stopped for an embedded part of a platform that does not run; `problems` are sentences.

    `notices` are sentences about what somebody wanted so, and may have forgotten.
    """

    state: str
    details: dict[str, Any] = {}
    # Under the name that scripts read.
    problems: list[str] = msgspec.field(default_factory=list, name="wrong")
    notices: list[str] = []


class Diagnosis(msgspec.Struct):
    """What `balcao doctor --json` prints."""

    ok: bool
    running: bool
    problems: list[str]
    notices: list[str]
    settings: dict[str, Any]
    addresses: dict[str, Any]
    parts: dict[str, Part]


async def diagnose(settings: Settings, root: Path = Path("/"), now: Clock = time.time) -> Diagnosis:
    """Check all parts at the same time; `root` is where the files of an installation lie."""
    async with httpx.AsyncClient(timeout=TIMEOUT_SECONDS) as http:
        checks: dict[str, Callable[[], Awaitable[Part]]] = {
            "program": lambda: _check_program(settings),
            "database": lambda: _check_database(settings, now),
            "identity": lambda: _check_identity(settings, http, now),
            "crm": lambda: _check_crm(settings, http),
            "services": lambda: _check_services(settings, http),
            "mail": lambda: _check_mail(settings),
        }
        if settings.database_read_url:
            checks["replicas"] = lambda: _check_replicas(settings)
        if settings.management_port:
            checks["management"] = lambda: _check_management(settings, http)
        if settings.redis_url:
            checks["redis"] = lambda: _check_redis(settings)
        if settings.traces_url:
            checks["traces"] = lambda: _check_traces(settings, http)
        if not settings.sandbox:
            checks["installation"] = lambda: asyncio.to_thread(_check_installation, settings, root)
            checks["gateway"] = lambda: asyncio.to_thread(_check_gateway, settings, root)
        found = await asyncio.gather(*(check() for check in checks.values()))
    parts = dict(zip(checks, found, strict=True))
    problems = [
        *settings.list_refusals(),
        *(stranger.describe() for stranger in list_unknown_variables(os.environ)),
        *_check_machines(settings),
        *_check_fixed_tokens(settings),
        *installed.check_whether_read(root, settings),
        *(sentence for part in found for sentence in part.problems),
    ]
    running = parts["services"].state == UP
    notices = [sentence for part in found for sentence in part.notices]
    return Diagnosis(
        not problems, running, problems, notices, list_settings(settings), _list_addresses(settings), parts
    )


def _check_machines(settings: Settings) -> list[str]:
    """Return which clients are listed for what machines alone may do, and are no machines."""
    lists = {**settings.client_lists, "BALCAO_CLIENT_ID": frozenset({settings.client_id})}
    return [
        f"{variable} nomeia {client}, que não está em BALCAO_MACHINE_CLIENTS: assim não abre nada."
        for variable, clients in lists.items()
        for client in sorted(clients - settings.machine_clients)
        if variable != WEBHOOK_CLIENTS
    ]


def _check_fixed_tokens(settings: Settings) -> list[str]:
    """Return what is wrong with the fixed tokens, or will soon be."""
    try:
        app.check_fixed_tokens(settings)
    except SettingsError as fault:
        return [str(fault)]
    soon = datetime.now(UTC).date() + timedelta(days=DAYS_OF_NOTICE)
    return [
        f"O token fixo {token.name} de {token.operation} vale só até {token.until}: troque-o por um novo."
        for token in settings.fixed_tokens
        if token.until <= soon
    ]


def list_settings(settings: Settings) -> dict[str, Any]:
    """Return the effective settings by variable; secrets, also those in addresses, are masked."""
    return {variable_of(name): mask(value) for name, value in settings.model_dump(mode="python").items()}


def _list_addresses(settings: Settings) -> dict[str, Any]:
    server = supervisor.find_running(settings.data_dir) if settings.embedded_database else None
    return {
        "base": settings.base_url,
        "services": app.list_base_urls(settings),
        "issuers": list(settings.issuers),
        "crm": settings.crm_url,
        "database": server.url if server else mask(settings.database_url) or str(settings.data_dir / "postgres"),
        "database_read": mask(settings.database_read_url),
        "redis": mask(settings.redis_url),
    }


async def _check_program(settings: Settings) -> Part:
    """Check what is installed; a program that can ask is there."""
    program = await asyncio.to_thread(check_program, sandbox=settings.sandbox)
    return Part(UP, program.details, program.problems)


def _check_installation(settings: Settings, root: Path) -> Part:
    """Check the files that `balcao init production` wrote, and the disk."""
    problems = installed.check(root, settings, os.environ)
    return Part(DOWN if problems else UP, {"settings": installed.is_installed(root)}, problems)


def _check_gateway(settings: Settings, root: Path) -> Part:
    """Check the configuration of the gateway, where it is on this machine."""
    file, problems = installed_gateway.check(root, settings)
    return Part(DOWN if problems else UP if file else STOPPED, {"file": file}, problems)


async def _check_database(settings: Settings, now: Clock) -> Part:
    url = settings.database_url
    if settings.embedded_database:
        server = await asyncio.to_thread(supervisor.find_running, settings.data_dir)
        if server is None:
            return _check_data_folder(settings.data_dir)
        url = server.url
    database = make_database(settings, url)
    try:
        await database.open()
        async with database.connection() as connection:
            part = await _check_opened(settings, connection)
            part.problems += await _check_clock(connection, now)
    except Unavailable as fault:
        return Part(DOWN, problems=[refusal(fault) or str(fault)])
    finally:
        await database.close()
    part.problems += await _check_owner(settings, url)
    return part


async def _check_clock(connection: Connection, now: Clock) -> list[str]:
    """Compare the clocks: periods, leases and tokens stand on both."""
    before = now()
    theirs = await fetch_clock(connection)
    return describe_skew("ao do banco de dados", theirs - (before + now()) / 2)


def _check_data_folder(folder: Path) -> Part:
    """Check whether an embedded database that does not run could be started in its folder."""
    if not folder.exists() or (folder.is_dir() and os.access(folder, os.W_OK | os.X_OK)):
        return Part(STOPPED)
    return Part(DOWN, problems=[f"A pasta {folder} não é uma pasta em que se possa gravar: confira BALCAO_DATA_DIR."])


async def _check_opened(settings: Settings, connection: Connection) -> Part:
    version, login = await roles.describe_session(connection)
    details = {"version": version, "login": login, "role": settings.database_role, "up_to_date": True}
    part = Part(UP, details)
    schemas = {one.owner for one in app.list_migrations()}
    if closed := await roles.list_closed_schemas(connection, schemas):
        part.problems.append(
            f"O papel {settings.database_role} não tem direitos em {', '.join(closed)}: perde-os um backup restaurado "
            "antes de os papéis existirem. Crie os papéis e restaure de novo, num banco vazio."
        )
        return part
    try:
        await migrations.check(connection, app.list_migrations())
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
    """Tell of a service in maintenance, or of a rate that is not the configured one."""
    end = f"{format_end(change.ends_at, load_zone(settings.time_zone))}, por {change.author}"
    if change.kind == live.MAINTENANCE:
        return f"O serviço {change.name} está em manutenção {end}: `balcao maintenance off {change.name}` termina."
    return f"O limite {change.name} vale {change.value} {end}: `balcao limits reset {change.name}` o desfaz."


async def _check_hash_keys(settings: Settings, connection: Connection) -> list[str]:
    """Return whether events are kept by whose key nobody could be found any more."""
    number = await find_oldest_key(connection)
    if number is None or number in {settings.hash_key_number, *settings.former_keys}:
        return []
    return [
        f"A trilha de auditoria tem eventos feitos com a chave {number}, que não está em BALCAO_FORMER_HASH_KEYS: quem "
        "pergunta quem viu os seus dados não os encontra."
    ]


async def _check_for_production(settings: Settings, connection: Connection) -> list[str]:
    """Return why the production profile does not start on this database."""
    if settings.sandbox:
        return []
    problems = []
    try:
        await roles.check_login(connection)
    except RoleError as mighty:
        problems.append(str(mighty))
    try:
        await app.refuse_demo_data(connection, settings)
    except SettingsError as known:
        problems.append(str(known))
    return problems


async def _check_owner(settings: Settings, url: str) -> list[str]:
    """Return what is wrong with the owner's login, where this process has one of its own."""
    if not settings.database_owner_url:
        return []
    try:
        database = Database(await databases.require_owner(settings, url), size=2, role=None)
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


async def _check_replicas(settings: Settings) -> Part:
    """Check whether the servers that may lag are read from."""
    states, problems = await check_replicas(settings)
    return Part(DOWN if problems else UP, {"servers": states}, problems)


async def _check_identity(settings: Settings, http: httpx.AsyncClient, now: Clock) -> Part:
    keys, problems = await check_issuers(settings, http, now)
    is_silent = not all(keys.values())
    if is_silent and settings.embedded_identity:
        return Part(STOPPED)
    return Part(DOWN if is_silent else UP, {"keys": keys}, problems)


async def _check_crm(settings: Settings, http: httpx.AsyncClient) -> Part:
    if not settings.crm_configured:
        return Part(STOPPED, {"configured": False})
    form = {
        "grant_type": "client_credentials",
        "client_id": settings.crm_client_id,
        "client_secret": settings.crm_client_secret.get_secret_value(),
    }
    try:
        response = await http.post(f"{settings.crm_url}/services/oauth2/token", data=form)
    except httpx.HTTPError as fault:
        if settings.sandbox_crm:
            return Part(STOPPED, {"configured": True})
        if is_distrust(fault):
            return Part(DOWN, {"configured": True}, [describe_distrust(settings.crm_url)])
        return Part(DOWN, {"configured": True}, [f"O CRM não responde em {settings.crm_url}: confira BALCAO_CRM_URL."])
    if response.is_success:
        return Part(UP, {"configured": True, "token": True})
    refused = "O CRM recusou o token: confira BALCAO_CRM_CLIENT_ID e BALCAO_CRM_CLIENT_SECRET."
    return Part(DOWN, {"configured": True, "token": False}, [refused])


# What a gateway answers whose processes do not run.
_NOBODY_BEHIND = frozenset({502, 503, 504})


async def _check_services(settings: Settings, http: httpx.AsyncClient) -> Part:
    """Check whether the platform runs, and is ours; that it does not run is no problem of the configuration."""
    try:
        alive = await http.get(f"{settings.base_url}/liveness")
    except (httpx.HTTPError, httpx.InvalidURL):
        return Part(STOPPED)
    found = alive.headers.get(HEADER)
    if found is None and alive.status_code in _NOBODY_BEHIND:
        return Part(STOPPED)
    if found != name_instance(settings):
        who = "um programa que não é o Balcão" if found is None else "outra instalação do Balcão"
        return Part(
            DOWN,
            problems=[f"Em {settings.base_url} responde {who}: encerre-o, ou indique outra porta em BALCAO_PORT."],
        )
    return Part(UP if alive.is_success else DOWN)


async def _check_management(settings: Settings, http: httpx.AsyncClient) -> Part:
    """Check the ports on which this machine is watched."""
    states, problems = await check_management(settings, http)
    silent = set(states.values()) == {SILENT}
    return Part(DOWN if problems else STOPPED if silent else UP, {"ports": states}, problems)


async def _check_redis(settings: Settings) -> Part:
    """Check whether Redis or Valkey answers."""
    try:
        async with Redis.from_url(
            settings.redis_url, socket_timeout=TIMEOUT_SECONDS, socket_connect_timeout=TIMEOUT_SECONDS
        ) as redis:
            await redis.execute_command("PING")  # type: ignore[no-untyped-call]  # `ping` is typed for both clients
    except (RedisError, OSError, ValueError):
        return Part(DOWN, problems=["O Redis não responde: confira BALCAO_REDIS_URL e se está no ar."])
    return Part(UP)


async def _check_traces(settings: Settings, http: httpx.AsyncClient) -> Part:
    """Check whether traces can be made, and whether the collector takes them."""
    problems = await check_traces(settings, http)
    return Part(DOWN if problems else UP, problems=problems)


async def _check_mail(settings: Settings) -> Part:
    """Check whether the mail server takes our login; in the sandbox e-mails go into a folder."""
    mailer = create_mailer(settings)
    if isinstance(mailer, MailFolder):
        state = UP if settings.data_dir.exists() else STOPPED
        return Part(state, {"configured": False, "folder": str(mailer.folder)})
    if mailer is None:
        return Part(STOPPED, {"configured": False})
    try:
        await mailer.check()
    except MailRefused as fault:
        return Part(DOWN, {"configured": True}, [f"O servidor de BALCAO_SMTP_URL não serve ({fault.code})."])
    return Part(UP, {"configured": True})
