"""SQL for the economic activities."""

from collections.abc import Sequence
from typing import NamedTuple

from balcao.core.database.pool import Connection
from balcao.core.database.queries import page_sql
from balcao.core.database.results import Paged
from balcao.core.database.statements import statement
from balcao.core.exports.declaration import Export, Exports, Rows
from balcao.core.values.page import Page
from balcao.registry.city.activities.schemas import Activity, ActivityRow

_COLUMNS = "id, secao, divisao, grupo, classe, subclasse, denominacao"


class ActivityFilters(NamedTuple):
    """The filters of the activity list. None means no filter."""

    search: str | None
    secao: str | None
    divisao: str | None
    grupo: str | None
    classe: str | None
    subclasse: str | None


# `strpos` treats `%` and `_` in the search as plain text. The classification has about 1,300 rows, so scanning all rows
# is fast enough.
_MATCHING = """
FROM registry.activity
WHERE (:search::text IS NULL OR strpos(folded, registry.folded(:search)) > 0)
  AND (:secao::text IS NULL OR registry.bare(secao) = registry.bare(:secao))
  AND (:divisao::text IS NULL OR registry.bare(divisao) = registry.bare(:divisao))
  AND (:grupo::text IS NULL OR registry.bare(grupo) = registry.bare(:grupo))
  AND (:classe::text IS NULL OR registry.bare(classe) = registry.bare(:classe))
  AND (:subclasse::text IS NULL OR registry.bare(subclasse) = registry.bare(:subclasse))
"""


@statement(
    page_sql(
        f"SELECT {_COLUMNS} {_MATCHING} ORDER BY subclasse, id LIMIT :limit OFFSET :offset",
        f"SELECT count(*) {_MATCHING}",
    )
)
async def select_activities(connection: Connection, filters: ActivityFilters, page: Page) -> Paged[Activity]: ...


@statement(f"""
INSERT INTO registry.activity ({_COLUMNS})
SELECT {_COLUMNS}
FROM jsonb_to_recordset(:rows::jsonb) AS row (
    id text, secao text, divisao text, grupo text, classe text, subclasse text, denominacao text)
ON CONFLICT (id) DO UPDATE SET
    secao = excluded.secao, divisao = excluded.divisao, grupo = excluded.grupo, classe = excluded.classe,
    subclasse = excluded.subclasse, denominacao = excluded.denominacao, loaded_at = now()
WHERE (activity.secao, activity.divisao, activity.grupo, activity.classe, activity.subclasse, activity.denominacao)
   <> (excluded.secao, excluded.divisao, excluded.grupo, excluded.classe, excluded.subclasse, excluded.denominacao)
""")
async def upsert_activities(connection: Connection, rows: Sequence[ActivityRow]) -> int:
    """Insert new activities and update changed ones. Return how many rows were written.

    `rows` must not contain an id twice. Only the table's owner may do this.
    """


EXPORTS = Exports([Export("cnaes", Rows("registry.activity", "to_jsonb(stored) - '{folded,loaded_at}'::text[]"))])
