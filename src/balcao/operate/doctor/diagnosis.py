"""Check a configuration and call the servers that it names. Nothing is started or changed."""

import asyncio
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import httpx
import msgspec

from balcao import app
from balcao.operate.database import find_embedded
from balcao.operate.doctor import (
    backups,
    database,
    files,
    gateway,
    installation,
    issuers,
    panel,
    processes,
    program,
    replicas,
    servers,
    site,
    traces,
)
from balcao.operate.doctor import settings as own_settings
from balcao.operate.doctor.checks import DOWN, STOPPED, TIMEOUT_SECONDS, UP, Check, Clock, Part, Subject
from balcao.operate.masking import mask_value
from balcao.settings import Settings, variable_of

# All checks, in the order in which the report lists their sentences.
CHECKS: tuple[Check, ...] = (
    *own_settings.CHECKS,
    program.CHECK,
    database.CHECK,
    issuers.CHECK,
    panel.CHECK,
    site.CHECK,
    servers.CRM,
    processes.SERVICES,
    servers.MAIL,
    replicas.CHECK,
    backups.CHECK,
    processes.MANAGEMENT,
    servers.REDIS,
    files.CHECK,
    traces.CHECK,
    *installation.CHECKS,
    gateway.CHECK,
)


class Diagnosis(msgspec.Struct):
    """The output of `balcao doctor --json`."""

    ok: bool
    running: bool
    problems: list[str]
    notices: list[str]
    settings: dict[str, Any]
    addresses: dict[str, Any]
    parts: dict[str, Part]


async def diagnose(settings: Settings, root: Path = Path("/"), now: Clock = time.time) -> Diagnosis:
    """Run all checks concurrently. `root` is the folder under which the installation's files are read."""
    due = [check for check in CHECKS if check.is_due(settings)]
    async with httpx.AsyncClient(timeout=TIMEOUT_SECONDS) as http:
        subject = Subject(settings, http, root, now)
        looked = await asyncio.gather(*(check.examine(subject) for check in due))
    found = [(check.part, part) for check, part in zip(due, looked, strict=True) if part is not None]
    names = dict.fromkeys(name for name, _ in found if name)
    parts = {name: _join([part for of, part in found if of == name]) for name in names}
    problems = [sentence for _, part in found for sentence in part.problems]
    notices = [sentence for _, part in found for sentence in part.notices]
    running = parts["services"].state == UP
    return Diagnosis(
        not problems, running, problems, notices, list_settings(settings), _list_addresses(settings), parts
    )


def _join(found: Iterable[Part]) -> Part:
    """Combine the results of checks that have the same `part`. The worst state applies."""
    joined = Part(UP)
    for part in found:
        joined = Part(
            max(joined.state, part.state, key=(UP, STOPPED, DOWN).index),
            joined.details | part.details,
            joined.problems + part.problems,
            joined.notices + part.notices,
        )
    return joined


def list_settings(settings: Settings) -> dict[str, Any]:
    """Return the effective settings by variable. Secrets are masked, even inside addresses."""
    return {variable_of(name): mask_value(value) for name, value in settings.model_dump(mode="python").items()}


def _list_addresses(settings: Settings) -> dict[str, Any]:
    embedded = find_embedded(settings) if settings.embedded_database else None
    return {
        "base": settings.base_url,
        "services": app.list_base_urls(settings),
        "issuers": list(settings.issuers),
        "crm": settings.crm_url,
        "database": embedded or mask_value(settings.database_url) or str(settings.data_dir / "postgres"),
        "database_read": mask_value(settings.database_read_url),
        "redis": mask_value(settings.redis_url),
    }
