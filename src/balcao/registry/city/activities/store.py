"""SQL of the economic activities."""

from collections.abc import Sequence

from balcao.core.database.pool import Connection, json_text
from balcao.core.database.queries import fetch_page, page_sql
from balcao.core.exports.declaration import Export, Exports, Rows
from balcao.core.http.paging import Page
from balcao.registry.city.activities.schemas import Activity, ActivityRow

_COLUMNS = "id, secao, divisao, grupo, classe, subclasse, denominacao"

# `strpos` knows no patterns. The whole classification has some 1,300 rows: each is looked at.
_MATCHING = """
FROM registry.activity
WHERE ($1::text IS NULL OR strpos(folded, registry.folded($1)) > 0)
  AND ($2::text IS NULL OR registry.bare(secao) = registry.bare($2))
  AND ($3::text IS NULL OR registry.bare(divisao) = registry.bare($3))
  AND ($4::text IS NULL OR registry.bare(grupo) = registry.bare($4))
  AND ($5::text IS NULL OR registry.bare(classe) = registry.bare($5))
  AND ($6::text IS NULL OR registry.bare(subclasse) = registry.bare($6))
"""
_PAGE = page_sql(
    f"SELECT {_COLUMNS} {_MATCHING} ORDER BY subclasse, id LIMIT $7 OFFSET $8", f"SELECT count(*) {_MATCHING}"
)


async def find(
    connection: Connection, search: str | None, codes: Sequence[str | None], page: Page
) -> tuple[list[Activity], int]:
    """Return the page's activities, and how many there are on all pages; `codes` go from section to subclass."""
    rows, total = await fetch_page(connection, _PAGE, search, *codes, page.limit, page.offset)
    return [Activity(**row) for row in rows], total


_IMPORT = f"""
INSERT INTO registry.activity ({_COLUMNS})
SELECT {_COLUMNS}
FROM jsonb_to_recordset($1::jsonb) AS row (
    id text, secao text, divisao text, grupo text, classe text, subclasse text, denominacao text)
ON CONFLICT (id) DO UPDATE SET
    secao = excluded.secao, divisao = excluded.divisao, grupo = excluded.grupo, classe = excluded.classe,
    subclasse = excluded.subclasse, denominacao = excluded.denominacao, loaded_at = now()
WHERE (activity.secao, activity.divisao, activity.grupo, activity.classe, activity.subclasse, activity.denominacao)
   <> (excluded.secao, excluded.divisao, excluded.grupo, excluded.classe, excluded.subclasse, excluded.denominacao)
RETURNING true
"""


async def import_rows(connection: Connection, rows: Sequence[ActivityRow]) -> int:
    """Write the activities that are new or changed; return how many.

    By the owner of the tables only. Of rows with one id the last counts.
    """
    last = {row.id: row for row in rows}
    return len(await connection.fetch(_IMPORT, json_text(list(last.values()))))


EXPORTS = Exports([Export("cnaes", Rows("registry.activity", "to_jsonb(stored) - '{folded,loaded_at}'::text[]"))])
