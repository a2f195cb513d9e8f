"""SQL of the resume bank: people with a resume who accept the present terms, and their names."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import NamedTuple
from uuid import UUID

from balcao.core.database.pool import Connection
from balcao.core.database.queries import fetch_page, page_sql
from balcao.core.http.paging import Page
from balcao.core.values.cpf import Cpf


class Entry(NamedTuple):
    """A person of the bank, as stored."""

    id: UUID
    cpf: str
    nome: str | None
    nome_social: str | None
    profissao: str | None
    escolaridade: str | None
    data_inclusao: datetime


# The newest job is the present one, the highest schooling one that was completed.
_MEMBERS = """
    acceptance.id, acceptance.cpf, person.nome, person.nome_social, (
        SELECT experience.cargo FROM employability.experience WHERE experience.cpf = acceptance.cpf
        ORDER BY eh_trabalho_atual DESC, created_at DESC, id LIMIT 1
    ) AS profissao, (
        SELECT value.descricao FROM employability.education
        JOIN employability.reference_value AS value ON value.id = education.id_escolaridade
        WHERE education.cpf = acceptance.cpf
        ORDER BY (education.status = 'Completo') IS TRUE DESC, value.posicao DESC LIMIT 1
    ) AS escolaridade, acceptance.aceito_em AS data_inclusao
"""
_IN_BANK = """acceptance.version = $1
    AND EXISTS (SELECT FROM employability.resume WHERE resume.cpf = acceptance.cpf)"""
_NAMED = "employability.bank_person AS person ON person.cpf = acceptance.cpf"
_ALL = f"employability.terms_acceptance AS acceptance LEFT JOIN {_NAMED} WHERE {_IN_BANK}"
_FOUND = f"""employability.terms_acceptance AS acceptance JOIN {_NAMED}
    WHERE {_IN_BANK} AND person.search_text LIKE employability.containing($4)"""
_ORDER = "ORDER BY acceptance.aceito_em DESC, acceptance.cpf LIMIT $2 OFFSET $3"
_PAGE = page_sql(
    f"SELECT {_MEMBERS} FROM {_ALL} {_ORDER}",
    "SELECT coalesce(sum(number), 0) FROM employability.bank_tally WHERE version = $1",
)
_SEARCH = page_sql(
    f"SELECT {_MEMBERS} FROM {_FOUND} {_ORDER}",
    f"SELECT count(*) FROM {_FOUND}",
)


async def list_page(connection: Connection, version: str, search: str | None, page: Page) -> tuple[list[Entry], int]:
    """Return the page's people and how many match in all; without names nobody matches a search."""
    if search is None:
        rows, total = await fetch_page(connection, _PAGE, version, page.limit, page.offset)
    else:
        rows, total = await fetch_page(connection, _SEARCH, version, page.limit, page.offset, search)
    return [Entry(**row) for row in rows], total


_READ = {column: f"SELECT {_MEMBERS} FROM {_ALL} AND acceptance.{column} = $2" for column in ("id", "cpf")}


async def read(connection: Connection, version: str, key: UUID | Cpf) -> Entry | None:
    """Return a person of the bank, by the entry's id or the CPF."""
    column, value = ("cpf", key.digits) if isinstance(key, Cpf) else ("id", key)
    row = await connection.fetchrow(_READ[column], version, value)
    return Entry(**dict(row)) if row else None


_FIND = "SELECT cpf FROM employability.terms_acceptance WHERE id = $1"


async def find_cpf(connection: Connection, acceptance: UUID) -> Cpf | None:
    """Return who accepted; None once it was revoked."""
    found = await connection.fetchval(_FIND, acceptance)
    return Cpf(found) if found else None


# Who revoked the terms meanwhile is not written.
_WRITE = """
INSERT INTO employability.bank_person AS person (cpf, nome, nome_social)
SELECT cpf, $2, $3 FROM employability.terms_acceptance WHERE cpf = $1 FOR KEY SHARE
ON CONFLICT (cpf) DO UPDATE SET
    nome = excluded.nome, nome_social = excluded.nome_social, read_at = clock_timestamp()
"""


async def write(connection: Connection, cpf: Cpf, name: str | None, social_name: str | None) -> None:
    """Keep the names that the registry said just now."""
    await connection.execute(_WRITE, cpf.digits, name, social_name)


_STALE = """
SELECT acceptance.id
FROM employability.terms_acceptance AS acceptance LEFT JOIN employability.bank_person AS person USING (cpf)
WHERE person.cpf IS NULL OR person.read_at < now() - $1::interval ORDER BY person.read_at NULLS FIRST LIMIT $2
"""


async def list_stale(connection: Connection, age: timedelta, most: int) -> Sequence[UUID]:
    """Return the acceptances of those whose names were never read, or longest and at least that long ago."""
    return [row["id"] for row in await connection.fetch(_STALE, age, most)]
