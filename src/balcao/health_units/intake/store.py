"""SQL for the heartbeats of sources."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import NamedTuple

from balcao.core.database.pool import Connection
from balcao.core.database.statements import statement


@statement("INSERT INTO health_units.sources (nome) SELECT unnest(:names::text[]) ON CONFLICT DO NOTHING")
async def insert_sources(connection: Connection, names: Sequence[str]) -> None:
    """Insert a heartbeat row for each source that has none."""


class StoredSource(NamedTuple):
    nome: str
    ouvida_em: datetime | None
    mudou_em: datetime | None
    linhas: int
    recusadas: int
    falhou_em: datetime | None
    erro: str | None


@statement("""
SELECT nome, ouvida_em, mudou_em, linhas, recusadas, falhou_em, erro FROM health_units.sources
WHERE nome = ANY(:names) ORDER BY nome
""")
async def select_intake_sources(connection: Connection, names: Sequence[str]) -> list[StoredSource]: ...


@statement("SELECT conteudo FROM health_units.sources WHERE nome = :name")
async def read_source_digest(connection: Connection, name: str) -> bytes | None:
    """Return the digest of the newest content that was read completely."""


@statement("UPDATE health_units.sources SET ouvida_em = now(), erro = NULL WHERE nome = :name")
async def note_same_content(connection: Connection, name: str) -> None:
    """Record that the source returned the same content as before."""


@statement("""
UPDATE health_units.sources
SET ouvida_em = now(), mudou_em = now(), erro = NULL, conteudo = :digest, linhas = :rows, recusadas = :refused
WHERE nome = :name
""")
async def note_changed_content(connection: Connection, name: str, digest: bytes, rows: int, refused: int) -> None:
    """Record that new content was read completely."""


@statement("UPDATE health_units.sources SET falhou_em = now(), erro = :error WHERE nome = :name")
async def note_failed_reading(connection: Connection, name: str, error: str) -> None:
    """Record the time and the error code of a failed read."""


# The database does not record when a source was configured. For a source that has never responded, count the time since
# the source's most recent failure.
@statement("""
SELECT nome, extract(epoch FROM now() - coalesce(ouvida_em, falhou_em))::float8 AS seconds FROM health_units.sources
WHERE ouvida_em > now() - interval '30 days' OR erro IS NOT NULL
""")
async def _read_silence(connection: Connection) -> Mapping[str, float]: ...


async def measure_silence(connection: Connection) -> Mapping[tuple[str, ...], float]:
    """Return the number of seconds since each source last responded.

    A source that has not responded for 30 days is omitted, unless the most recent read failed.
    """
    return {(name,): seconds for name, seconds in (await _read_silence(connection)).items()}
