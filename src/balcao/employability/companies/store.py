"""SQL for companies."""

from collections.abc import Sequence

import asyncpg

from balcao.core.database.lookups import lookup
from balcao.core.database.pool import Connection, Source
from balcao.core.database.queries import STILL_REFERENCED, page_sql
from balcao.core.database.results import Paged
from balcao.core.database.statements import statement
from balcao.core.errors import Conflict
from balcao.core.exports.declaration import Export, Exports, Rows
from balcao.core.values.page import Page
from balcao.employability.companies.schemas import Company

_MEMBERS = ", ".join(Company.__struct_fields__)
_WRITTEN = ("cnpj", "razao_social", "nome_fantasia", "descricao", "url_logo", "website", "setor", "porte")
# Use `position` instead of LIKE, because names can contain `%` and `_`.
_MATCHES = """(:search::text IS NULL OR position(employability.folded(:search) IN search_text) > 0)
    AND (:cnpj::text IS NULL OR cnpj = :cnpj)"""


@statement(
    page_sql(
        f"""SELECT {_MEMBERS} FROM employability.company WHERE {_MATCHES}
            ORDER BY sort_name, cnpj LIMIT :limit OFFSET :offset""",
        f"SELECT count(*) FROM employability.company WHERE {_MATCHES}",
    )
)
async def select_companies(connection: Connection, search: str | None, cnpj: str | None, page: Page) -> Paged[Company]:
    """Return one page of companies, and the total number of matches."""


@lookup(f"SELECT {_MEMBERS} FROM employability.company WHERE cnpj = :cnpj")
async def select_company(source: Source, cnpj: str) -> Company | None: ...


@statement(f"SELECT {_MEMBERS} FROM employability.company WHERE cnpj = :cnpj FOR UPDATE")
async def lock_company(connection: Connection, cnpj: str) -> Company | None:
    """Read a company and lock it until the transaction ends."""


async def insert_company(connection: Connection, checked: Company) -> Company:
    """Insert a company. Raises Conflict if the CNPJ is already used."""
    try:
        return await _insert_company(connection, checked)
    except asyncpg.UniqueViolationError:
        # Portals recognise the reason only by the number in the message.
        raise Conflict("Já existe uma empresa com este CNPJ (duplicate key 23505)", code="employer-exists") from None


@statement(f"""
INSERT INTO employability.company ({", ".join(_WRITTEN)})
VALUES ({", ".join(f":{name}" for name in _WRITTEN)})
RETURNING {_MEMBERS}
""")
async def _insert_company(connection: Connection, checked: Company) -> Company: ...


@statement(f"""
UPDATE employability.company
SET {", ".join(f"{name} = :{name}" for name in _WRITTEN if name != "cnpj")}, updated_at = clock_timestamp()
WHERE cnpj = :cnpj
RETURNING {_MEMBERS}
""")
async def update_company(connection: Connection, checked: Company) -> Company:
    """Update a locked company."""


@statement(f"""
INSERT INTO employability.company ({", ".join(_WRITTEN)})
SELECT {", ".join(_WRITTEN)}
FROM jsonb_to_recordset(:companies::jsonb) AS row ({", ".join(f"{name} text" for name in _WRITTEN)})
ON CONFLICT (cnpj) DO UPDATE SET
    {", ".join(f"{name} = excluded.{name}" for name in _WRITTEN if name != "cnpj")}, updated_at = clock_timestamp()
WHERE ({", ".join(f"company.{name}" for name in _WRITTEN)})
    IS DISTINCT FROM ({", ".join(f"excluded.{name}" for name in _WRITTEN)})
""")
async def upsert_imported_companies(connection: Connection, companies: Sequence[Company]) -> int:
    """Write new and changed companies, and return how many were written. Only the tables' owner can do this."""


async def delete_company(connection: Connection, cnpj: str) -> None:
    """Delete a locked company. Raises Conflict if a job refers to it."""
    try:
        await _delete_company(connection, cnpj)
    except STILL_REFERENCED:
        raise Conflict(
            "Há vagas desta empresa, e ela não pode ser excluída (foreign key constraint 23503)",
            code="employer-in-use",
        ) from None


@statement("DELETE FROM employability.company WHERE cnpj = :cnpj")
async def _delete_company(connection: Connection, cnpj: str) -> None: ...


EXPORTS = Exports(
    [Export("employers", Rows("employability.company", "to_jsonb(stored) - '{sort_name,search_text}'::text[]"))]
)
