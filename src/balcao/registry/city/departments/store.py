"""SQL for the departments."""

from collections.abc import Sequence

from balcao.core.database.lookups import lookup
from balcao.core.database.pool import Connection, Source
from balcao.core.database.queries import page_sql
from balcao.core.database.results import Paged
from balcao.core.database.statements import statement
from balcao.core.exports.declaration import Export, Exports, Rows
from balcao.core.values.page import Page
from balcao.registry.city.departments.filters import DepartmentFilters
from balcao.registry.city.departments.schemas import Department, DepartmentRow

_COLUMNS = """
    id, cd_ua, sigla_ua, nome_ua, cd_ua_pai, nivel, ordem_ua_basica, ordem_absoluta, ordem_relativa, msg, updated_at
"""


@lookup(f"SELECT {_COLUMNS} FROM registry.department WHERE cd_ua = :cd_ua")
async def select_department(source: Source, cd_ua: str) -> Department | None: ...


# `strpos` treats `%` and `_` in the search as plain text.
_MATCHING = """
FROM registry.department
WHERE (:search::text IS NULL
       OR strpos(folded_nome, registry.folded(:search)) > 0 OR strpos(folded_sigla, registry.folded(:search)) > 0)
  AND (:parent::text IS NULL OR cd_ua_pai = :parent)
  AND (:sigla::text IS NULL OR sigla_ua = :sigla)
  AND nivel BETWEEN :lowest AND :highest
"""


@statement(
    page_sql(
        f"SELECT {_COLUMNS} {_MATCHING} ORDER BY nivel, ordem_absoluta, cd_ua LIMIT :limit OFFSET :offset",
        f"SELECT count(*) {_MATCHING}",
    )
)
async def select_departments(connection: Connection, filters: DepartmentFilters, page: Page) -> Paged[Department]: ...


@statement(f"SELECT {_COLUMNS} FROM registry.department ORDER BY nivel, ordem_absoluta, cd_ua")
async def list_all_departments(connection: Connection) -> list[Department]:
    """Return every department, sorted by level and then in the city's own order."""


# `most` limits the recursion, because a mistake in the city's file may link departments into a cycle.
@lookup(f"""
WITH RECURSIVE chain AS (
    SELECT 0 AS steps, department.* FROM registry.department WHERE cd_ua = :cd_ua
    UNION ALL
    SELECT chain.steps + 1, above.*
    FROM chain JOIN registry.department AS above ON above.cd_ua = chain.cd_ua_pai
    WHERE chain.steps < :most
)
SELECT {_COLUMNS} FROM chain ORDER BY steps DESC
""")
async def list_department_chain(source: Source, cd_ua: str, most: int) -> list[Department]:
    """Return up to `most` ancestors, from the top down, followed by the department itself.

    Return an empty list for an unknown code.
    """


@statement(f"""
INSERT INTO registry.department ({_COLUMNS})
SELECT {_COLUMNS}
FROM jsonb_to_recordset(:rows::jsonb) AS row (
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
""")
async def upsert_departments(connection: Connection, rows: Sequence[DepartmentRow]) -> int:
    """Insert new departments and update changed ones. Return how many rows were written.

    `rows` must not contain a code twice. Only the table's owner may do this.
    """


EXPORTS = Exports(
    [
        Export(
            "departments",
            Rows("registry.department", "to_jsonb(stored) - '{folded_nome,folded_sigla,loaded_at}'::text[]"),
        )
    ]
)
