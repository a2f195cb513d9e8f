"""Imports notifications from the department's own systems, with a heartbeat for each (rules: health_units 2.5).

A system's response is imported like a file. A row is identified by its unit and opening time, so a repeated row changes
nothing.
"""

import asyncio
import hashlib
import io
from datetime import datetime

import httpx

from balcao.core.context.call import Call, worker_call
from balcao.core.context.platform import Platform
from balcao.core.errors import BalcaoError
from balcao.core.imports import service as imports
from balcao.core.imports.declaration import Import
from balcao.core.imports.source import JsonLines
from balcao.core.values.clock import format_rfc3339_seconds
from balcao.health_units.intake import notifications, store
from balcao.health_units.intake.schemas import RiskSource, RiskSources
from balcao.settings.services import parse_pairs

MOST_BYTES = 4 * 1024 * 1024
PATIENCE_SECONDS = 20.0
# The rows are the same as in an import by command. A separate name gives this import separate stored progress.
_IMPORT = Import(
    "notifications-of-source", notifications.NotificationRow, notifications.write_notifications, notifications.BATCH
)


class _Unreadable(Exception):
    """Raised if a source cannot be read. `args` contains the error code."""


async def list_intake_sources(call: Call) -> RiskSources:
    """Return the heartbeat of each configured source. Sources that no worker has tried to read yet are omitted."""
    async with call.platform.database.connection() as connection:
        sources = await store.select_intake_sources(connection, list(parse_pairs(call.platform.settings.risk_sources)))

    def show(at: datetime | None) -> str | None:
        return None if at is None else format_rfc3339_seconds(at, call.zone)

    return RiskSources(
        [
            RiskSource(
                nome=source.nome,
                ouvida_em=show(source.ouvida_em),
                mudou_em=show(source.mudou_em),
                linhas=source.linhas,
                recusadas=source.recusadas,
                falhou_em=show(source.falhou_em),
                erro=source.erro,
            )
            for source in sources
        ]
    )


async def read_sources(platform: Platform) -> None:
    """Read all sources concurrently. A failure is stored with its source and not raised."""
    addresses = parse_pairs(platform.settings.risk_sources)
    if not addresses:
        return
    async with platform.database.connection() as connection:
        await store.insert_sources(connection, list(addresses))
    await asyncio.gather(*(_read_source(platform, name, address) for name, address in addresses.items()))


async def _read_source(platform: Platform, name: str, address: str) -> None:
    try:
        content = await _fetch(platform, name, address)
        digest = hashlib.sha256(content).digest()
        async with platform.database.connection() as connection:
            is_known = await store.read_source_digest(connection, name) == digest
            if is_known:
                await store.note_same_content(connection, name)
        if not is_known:
            file = io.BytesIO(content)
            order = imports.Order(_IMPORT, source=name)
            call = worker_call(platform, "health_units.read_source")
            done = (await imports.run_import(call, JsonLines(file), order, lambda *_: None)).done
            async with platform.database.connection() as connection:
                lines = done.changed + done.unchanged + done.refused
                await store.note_changed_content(connection, name, digest, lines, done.refused)
    except (_Unreadable, BalcaoError) as failure:
        code = failure.code if isinstance(failure, BalcaoError) else str(failure)
        async with platform.database.connection() as connection:
            await store.note_failed_reading(connection, name, code)


async def _fetch(platform: Platform, name: str, address: str) -> bytes:
    """Return the body of a source's response. Raises _Unreadable if the request fails or the response is not usable."""
    token = parse_pairs(platform.settings.risk_source_tokens.get_secret_value()).get(name)
    headers = {"Accept": "application/x-ndjson"} | ({"Authorization": f"Bearer {token}"} if token else {})
    content = bytearray()
    try:
        async with (
            asyncio.timeout(PATIENCE_SECONDS),
            platform.http.stream("GET", address, headers=headers) as response,
        ):
            if response.status_code != httpx.codes.OK:
                raise _Unreadable(f"status-{response.status_code}")
            async for chunk in response.aiter_bytes():
                content += chunk
                if len(content) > MOST_BYTES:
                    raise _Unreadable("too-large")
    except TimeoutError:
        raise _Unreadable("timeout") from None
    except (httpx.HTTPError, httpx.InvalidURL):
        raise _Unreadable("not-reached") from None
    return bytes(content)
