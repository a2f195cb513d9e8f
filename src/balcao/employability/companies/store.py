"""SQL of the companies."""

from collections.abc import Sequence

import asyncpg

from balcao.core.database.pool import Connection, Row, json_text
from balcao.core.database.queries import REFERRED_TO, affected, fetch_page, page_sql
from balcao.core.errors import Conflict
from balcao.core.exports.declaration import Export, Exports, Rows
from balcao.core.http.paging import Page
from balcao.employability.companies.schemas import Company

_MEMBERS = ", ".join(Company.__struct_fields__)
_WRITTEN = ("cnpj", "razao_social", "nome_fantasia", "descricao", "url_logo", "website", "setor", "porte")
# `position` and not LIKE: the signs of a pattern are ordinary characters of a name.
_MATCHES = """($1::text IS NULL OR position(employability.folded($1) IN search_text) > 0)
    AND ($2::text IS NULL OR cnpj = $2)"""
_PAGE = page_sql(
    f"SELECT {_MEMBERS} FROM employability.company WHERE {_MATCHES} ORDER BY sort_name, cnpj LIMIT $3 OFFSET $4",
    f"SELECT count(*) FROM employability.company WHERE {_MATCHES}",
)


async def list_page(
    connection: Connection, search: str | None, cnpj: str | None, page: Page
) -> tuple[list[Company], int]:
    """Return the page's companies and how many match in all."""
    rows, total = await fetch_page(connection, _PAGE, search, cnpj, page.limit, page.offset)
    return [_to_company(row) for row in rows], total


_READ = f"SELECT {_MEMBERS} FROM employability.company WHERE cnpj = $1"


async def read(connection: Connection, cnpj: str) -> Company | None:
    row = await connection.fetchrow(_READ, cnpj)
    return _to_company(row) if row else None


async def lock(connection: Connection, cnpj: str) -> Company | None:
    """Read a company and keep others from changing it until the transaction ends."""
    row = await connection.fetchrow(f"{_READ} FOR UPDATE", cnpj)
    return _to_company(row) if row else None


_INSERT = f"""
INSERT INTO employability.company ({", ".join(_WRITTEN)})
VALUES ({", ".join(f"${place}" for place, _ in enumerate(_WRITTEN, 1))})
RETURNING {_MEMBERS}
"""


async def insert(connection: Connection, checked: Company) -> Company:
    """Insert a company. Raises Conflict when it is there."""
    try:
        return _to_company(await connection.fetchrow(_INSERT, *_values(checked)))
    except asyncpg.UniqueViolationError:
        # A portal knows the reason by the number in the text alone.
        raise Conflict("Já existe uma empresa com este CNPJ (duplicate key 23505)", code="employer-exists") from None


_UPDATE = f"""
UPDATE employability.company
SET {", ".join(f"{name} = ${place}" for place, name in enumerate(_WRITTEN, 1) if name != "cnpj")},
    updated_at = clock_timestamp()
WHERE cnpj = $1
RETURNING {_MEMBERS}
"""


async def update(connection: Connection, checked: Company) -> Company:
    """Update a locked company."""
    return _to_company(await connection.fetchrow(_UPDATE, *_values(checked)))


_IMPORT = f"""
INSERT INTO employability.company ({", ".join(_WRITTEN)})
SELECT {", ".join(_WRITTEN)}
FROM jsonb_to_recordset($1::jsonb) AS row ({", ".join(f"{name} text" for name in _WRITTEN)})
ON CONFLICT (cnpj) DO UPDATE SET
    {", ".join(f"{name} = excluded.{name}" for name in _WRITTEN if name != "cnpj")}, updated_at = clock_timestamp()
WHERE ({", ".join(f"company.{name}" for name in _WRITTEN)})
    IS DISTINCT FROM ({", ".join(f"excluded.{name}" for name in _WRITTEN)})
"""


async def import_rows(connection: Connection, companies: Sequence[Company]) -> int:
    """Write the companies that are new or changed; return how many. By the owner of the tables only."""
    return affected(await connection.execute(_IMPORT, json_text(companies)))


async def delete(connection: Connection, cnpj: str) -> None:
    """Delete a locked company. Raises Conflict while a job refers to it."""
    try:
        await connection.execute("DELETE FROM employability.company WHERE cnpj = $1", cnpj)
    except REFERRED_TO:
        raise Conflict(
            "Há vagas desta empresa, e ela não pode ser excluída (foreign key constraint 23503)",
            code="employer-in-use",
        ) from None


def _values(company: Company) -> list[str | None]:
    return [getattr(company, name) for name in _WRITTEN]


def _to_company(row: Row) -> Company:
    return Company(**dict(row))


EXPORTS = Exports(
    [Export("employers", Rows("employability.company", "to_jsonb(stored) - '{sort_name,search_text}'::text[]"))]
)
