"""SQL of the departments."""

from collections.abc import Sequence

from balcao.core.database.pool import Connection, Row, json_text
from balcao.core.database.queries import fetch_page, page_sql
from balcao.core.exports.declaration import Export, Exports, Rows
from balcao.core.http.paging import Page
from balcao.registry.city.departments.filters import DepartmentFilters
from balcao.registry.city.departments.schemas import Department, DepartmentRow

_COLUMNS = """
    id, cd_ua, sigla_ua, nome_ua, cd_ua_pai, nivel, ordem_ua_basica, ordem_absoluta, ordem_relativa, msg, updated_at
"""
_READ = f"SELECT {_COLUMNS} FROM registry.department WHERE cd_ua = $1"


async def read(connection: Connection, cd_ua: str) -> Department | None:
    row = await connection.fetchrow(_READ, cd_ua)
    return _parse_department(row) if row else None


# `strpos` knows no patterns: every character of the search stands for itself.
_MATCHING = """
FROM registry.department
WHERE ($1::text IS NULL
       OR strpos(folded_nome, registry.folded($1)) > 0 OR strpos(folded_sigla, registry.folded($1)) > 0)
  AND ($2::text IS NULL OR cd_ua_pai = $2)
  AND ($3::text IS NULL OR sigla_ua = $3)
  AND nivel BETWEEN $4 AND $5
"""
_PAGE = page_sql(
    f"SELECT {_COLUMNS} {_MATCHING} ORDER BY nivel, ordem_absoluta, cd_ua LIMIT $6 OFFSET $7",
    f"SELECT count(*) {_MATCHING}",
)


async def find(connection: Connection, filters: DepartmentFilters, page: Page) -> tuple[list[Department], int]:
    """Return the page's departments, and how many there are on all pages."""
    values = (filters.search, filters.parent, filters.sigla, filters.lowest, filters.highest)
    rows, total = await fetch_page(connection, _PAGE, *values, page.limit, page.offset)
    return [_parse_department(row) for row in rows], total


_ALL = f"SELECT {_COLUMNS} FROM registry.department ORDER BY nivel, ordem_absoluta, cd_ua"


async def list_all(connection: Connection) -> list[Department]:
    """Return every department in the chart's order."""
    return [_parse_department(row) for row in await connection.fetch(_ALL)]


# The bound ends a chain that goes round in a ring, which a city's file may hold by mistake.
_CHAIN = f"""
WITH RECURSIVE chain AS (
    SELECT 0 AS steps, department.* FROM registry.department WHERE cd_ua = $1
    UNION ALL
    SELECT chain.steps + 1, above.*
    FROM chain JOIN registry.department AS above ON above.cd_ua = chain.cd_ua_pai
    WHERE chain.steps < $2
)
SELECT {_COLUMNS} FROM chain ORDER BY steps DESC
"""


async def list_chain(connection: Connection, cd_ua: str, most: int) -> list[Department]:
    """Return the department, last, below at most so many that stand above it; nothing for an unknown code."""
    return [_parse_department(row) for row in await connection.fetch(_CHAIN, cd_ua, most)]


_IMPORT = f"""
INSERT INTO registry.department ({_COLUMNS})
SELECT {_COLUMNS}
FROM jsonb_to_recordset($1::jsonb) AS row (
    id text, cd_ua text, sigla_ua text, nome_ua text, cd_ua_pai text, nivel smallint,
    ordem_ua_basica text, ordem_absoluta text, ordem_relativa text, msg text, updated_at timestamptz)
ON CONFLICT (cd_ua) DO UPDATE SET
    id = excluded.id, sigla_ua = excluded.sigla_ua, nome_ua = excluded.nome_ua, cd_ua_pai = excluded.cd_ua_pai,
    nivel = excluded.nivel, ordem_ua_basica = excluded.ordem_ua_basica, ordem_absoluta = excluded.ordem_absoluta,
    ordem_relativa = excluded.ordem_relativa, msg = excluded.msg, updated_at = excluded.updated_at, loaded_at = now()
WHERE (department.id, department.sigla_ua, department.nome_ua, department.cd_ua_pai, department.nivel,
       department.ordem_ua_basica, department.ordem_absoluta, department.ordem_relativa, department.msg,
       department.updated_at)
    IS DISTINCT FROM
      (excluded.id, excluded.sigla_ua, excluded.nome_ua, excluded.cd_ua_pai, excluded.nivel,
       excluded.ordem_ua_basica, excluded.ordem_absoluta, excluded.ordem_relativa, excluded.msg,
       excluded.updated_at)
RETURNING true
"""


async def import_rows(connection: Connection, rows: Sequence[DepartmentRow]) -> int:
    """Write the departments that are new or changed; return how many.

    By the owner of the tables only. Of rows with one code the last counts.
    """
    last = {row.cd_ua: row for row in rows}
    return len(await connection.fetch(_IMPORT, json_text(list(last.values()))))


def _parse_department(row: Row) -> Department:
    return Department(**dict(row))


EXPORTS = Exports(
    [
        Export(
            "departments",
            Rows("registry.department", "to_jsonb(stored) - '{folded_nome,folded_sigla,loaded_at}'::text[]"),
        )
    ]
)
