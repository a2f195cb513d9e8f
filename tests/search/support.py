"""A staff member's calls and their bodies."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import asyncpg
import httpx
import msgspec

from balcao.core.access.caller import Caller
from balcao.core.access.rules import Decision, Reason
from balcao.core.context.call import Call
from balcao.core.context.headers import Headers
from balcao.core.context.platform import Platform
from balcao.core.values.cpf import Cpf
from balcao.core.values.ids import new_id
from balcao.search.schema_migrations import service as migrations
from balcao.search.schema_migrations.schemas import IdentifiedStatus, StartBody
from balcao.search.schema_migrations.work import carry_on
from balcao.search.services.schemas import ServiceChangeBody

ADMIN = frozenset({"admin"})
NOBODY: frozenset[str] = frozenset()

REQUIRED = {
    "nome_servico": "Poda de árvore",
    "orgao_gestor": ["Secretaria de Conservação"],
    "resumo": "Solicita a **poda** de árvores.",
    "tema_geral": "Cidade",
    "publico_especifico": ["Público em geral"],
}


def body(**members: Any) -> ServiceChangeBody:
    """Return a body with the required members and the given ones. Members that are `...` are left out."""
    return msgspec.convert({k: v for k, v in (REQUIRED | members).items() if v is not ...}, ServiceChangeBody)


def act_as_staff(platform: Platform, roles: frozenset[str] = ADMIN, *, if_match: str | None = None) -> Call:
    """Return a call that its operation's rule has allowed. The roles decide about further actions."""
    caller = Caller(
        subject="person-90000020281",
        client="portal-servidor",
        cpf=Cpf.parse("90000020281"),
        name="Jorge Valente",
        email=None,
        scopes=frozenset(),
        roles=roles,
        expires_at=float("inf"),
    )
    decision = Decision(Reason.GRANTED, "service:update")
    headers = Headers() if if_match is None else Headers({b"if-match": if_match.encode()})
    return Call(platform, "search.test", new_id(), decision, caller, headers)


def refusal(answer: httpx.Response) -> tuple[int, str]:
    """Return the status and the error code of a rejected call."""
    return answer.status_code, answer.headers["Error-Code"]


def make_button(**members: Any) -> dict[str, Any]:
    return {"titulo": "Pedir", "url_service": "https://servicos.portoaurora.example/1"} | members


async def migrate(platform: Platform, schema_version: str) -> IdentifiedStatus:
    """Start a migration, run it to its end as the worker does, and return its state."""
    started = await migrations.start_migration(act_as_staff(platform), StartBody(schema_version))
    assert started.migration_id is not None
    await carry_on(platform, started.migration_id)
    return await migrations.read_current_status(act_as_staff(platform))


_V4 = """
CREATE FUNCTION search.v4_forward(id uuid, doc jsonb, carried jsonb) RETURNS search.divided LANGUAGE sql IMMUTABLE AS $$
    SELECT doc || jsonb_build_object('taxa', 1 / (doc ->> 'nome_servico' <> 'Quebra')::int), carried $$;
CREATE FUNCTION search.v4_reverse(id uuid, doc jsonb, carried jsonb) RETURNS search.divided LANGUAGE sql IMMUTABLE AS $$
    SELECT CASE WHEN doc ->> 'nome_servico' = 'Perde' THEN doc || '{"resumo": ""}' ELSE doc END - 'taxa', carried $$;
INSERT INTO search.schema_versions (version, position, fields, columns, indexes, fold_revision, forward, reverse)
SELECT 'v4', 4, fields || 'taxa'::text, columns, indexes, fold_revision, 'v4_forward', 'v4_reverse'
FROM search.schema_versions WHERE version = 'v3';
"""
_WITHOUT_V4 = """
TRUNCATE search.search_migrations, search.search_migration_errors;
UPDATE search.search_collection SET mirror = NULL;
SELECT search.drop_physical(name) FROM search.physical_tables WHERE schema_version = 'v4';
DELETE FROM search.schema_versions WHERE version = 'v4';
DROP FUNCTION search.v4_forward, search.v4_reverse;
"""


@asynccontextmanager
async def with_v4(owner: asyncpg.Connection) -> AsyncIterator[None]:
    """Register a version v4.

    Converting a service named "Quebra" to v4 fails. Converting one named "Perde" back loses its summary.
    """
    await owner.execute(_V4)
    try:
        yield
    finally:
        await owner.execute(_WITHOUT_V4)


class Explaining:
    """A connection that explains the next statement instead of running it."""

    def __init__(self, connection: asyncpg.Connection) -> None:
        self._connection = connection
        self.plan = ""

    async def fetch(self, statement: str, *values: Any, **_: float) -> list[asyncpg.Record]:
        rows = await self._connection.fetch(f"EXPLAIN {statement}", *values)
        self.plan = "\n".join(row[0] for row in rows)
        raise Explained()


class Explained(Exception):
    pass
