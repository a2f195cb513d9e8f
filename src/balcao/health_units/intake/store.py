"""SQL of the heartbeat of each source."""

from collections.abc import Mapping, Sequence

from balcao.core.database.pool import Connection, Row

_KEEP = "INSERT INTO health_units.sources (nome) SELECT unnest($1::text[]) ON CONFLICT DO NOTHING"


async def keep_sources(connection: Connection, names: Sequence[str]) -> None:
    """Give each of these a heartbeat from now on."""
    await connection.execute(_KEEP, names)


_LIST = """
SELECT nome, ouvida_em, mudou_em, linhas, recusadas, falhou_em, erro FROM health_units.sources
WHERE nome = ANY($1) ORDER BY nome
"""


async def list_sources(connection: Connection, names: Sequence[str]) -> list[Row]:
    return list(await connection.fetch(_LIST, names))


async def read_digest(connection: Connection, name: str) -> bytes | None:
    """Return the digest of what was read last."""
    digest: bytes | None = await connection.fetchval("SELECT conteudo FROM health_units.sources WHERE nome = $1", name)
    return digest


_HEARD = "UPDATE health_units.sources SET ouvida_em = now(), erro = NULL WHERE nome = $1"


async def note_answer(connection: Connection, name: str) -> None:
    """Note that the source answered what it had answered before."""
    await connection.execute(_HEARD, name)


_CHANGED = """
UPDATE health_units.sources
SET ouvida_em = now(), mudou_em = now(), erro = NULL, conteudo = $2, linhas = $3, recusadas = $4
WHERE nome = $1
"""


async def note_change(connection: Connection, name: str, digest: bytes, lines: int, refused: int) -> None:
    """Note that other content was read, to its end."""
    await connection.execute(_CHANGED, name, digest, lines, refused)


_FAILED = "UPDATE health_units.sources SET falhou_em = now(), erro = $2 WHERE nome = $1"


async def note_failure(connection: Connection, name: str, error: str) -> None:
    """Store the code of what went wrong."""
    await connection.execute(_FAILED, name, error)


# A source that was never heard is silent since it was configured, which nobody knows: it counts from its first failure.
_SILENCE = """
SELECT nome, extract(epoch FROM now() - coalesce(ouvida_em, falhou_em))::float8 AS seconds FROM health_units.sources
WHERE ouvida_em > now() - interval '30 days' OR erro IS NOT NULL
"""


async def measure_silence(connection: Connection) -> Mapping[tuple[str, ...], float]:
    """Return the seconds since each source answered; sources long out of use are left out."""
    return {(row["nome"],): row["seconds"] for row in await connection.fetch(_SILENCE)}
