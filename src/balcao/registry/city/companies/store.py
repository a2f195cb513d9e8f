"""SQL of the companies."""

from collections.abc import Sequence

import msgspec

from balcao.core.database.pool import Connection, json_text
from balcao.core.database.queries import fetch_page, page_sql
from balcao.core.exports.declaration import Export, Exports, Rows
from balcao.core.http.paging import Page
from balcao.core.values.cpf import Cpf
from balcao.registry.city.companies.schemas import Company, CompanyRow

_READ = "SELECT record::text FROM registry.company WHERE cnpj = $1"


async def read(connection: Connection, cnpj: str) -> Company | None:
    found = await connection.fetchval(_READ, cnpj)
    return _parse_company(found) if found is not None else None


_OF_PERSON = """
FROM registry.company_member AS member
JOIN registry.company USING (cnpj)
WHERE member.cpf = $1 AND ($2::text IS NULL OR company.record #>> '{natureza_juridica,id}' = $2)
"""
_PAGE = page_sql(
    f"SELECT company.record::text {_OF_PERSON} ORDER BY cnpj LIMIT $3 OFFSET $4", f"SELECT count(*) {_OF_PERSON}"
)


async def fetch_page_of(connection: Connection, cpf: Cpf, nature: str | None, page: Page) -> tuple[list[Company], int]:
    """Return the page's companies of a partner or responsible person, and how many there are on all pages."""
    rows, total = await fetch_page(connection, _PAGE, cpf.digits, nature, page.limit, page.offset)
    return [_parse_company(row["record"]) for row in rows], total


_ALL = f"SELECT company.record::text {_OF_PERSON} ORDER BY cnpj"


async def list_all(connection: Connection, cpf: Cpf) -> list[Company]:
    """Return every company of a partner or responsible person, by CNPJ."""
    return [_parse_company(row["record"]) for row in await connection.fetch(_ALL, cpf.digits, None)]


_IMPORT = """
INSERT INTO registry.company (cnpj, record)
SELECT record ->> 'cnpj', record FROM jsonb_array_elements($1::jsonb) AS row (record)
ON CONFLICT (cnpj) DO UPDATE SET record = excluded.record, loaded_at = now()
WHERE company.record <> excluded.record
RETURNING cnpj
"""
_DELETE_MEMBERS = "DELETE FROM registry.company_member WHERE cnpj = ANY($1::text[])"
_INSERT_MEMBERS = "INSERT INTO registry.company_member (cpf, cnpj) SELECT * FROM unnest($1::text[], $2::text[])"


async def import_rows(connection: Connection, rows: Sequence[CompanyRow]) -> int:
    """Write the companies that are new or changed, and their people; return how many.

    By the owner of the tables only. Of rows with one CNPJ the last counts.
    """
    last = {row.cnpj: row for row in rows}
    found = await connection.fetch(_IMPORT, json_text(list(last.values())))
    changed = [row["cnpj"] for row in found]
    members = [(cpf.digits, cnpj) for cnpj in changed for cpf in last[cnpj].members]
    await connection.execute(_DELETE_MEMBERS, changed)
    await connection.execute(_INSERT_MEMBERS, [cpf for cpf, _ in members], [cnpj for _, cnpj in members])
    return len(changed)


def _parse_company(record: str) -> Company:
    return msgspec.json.decode(record, type=Company)


EXPORTS = Exports(
    [Export("companies", Rows("registry.company", "stored.record"))], derived=("registry.company_member",)
)
