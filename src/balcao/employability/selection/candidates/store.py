"""SQL of staff's list of applications. A statement holds only the conditions that were asked for, for its own plan."""

from collections.abc import Sequence
from uuid import UUID

import msgspec

from balcao.core.database.pool import Connection
from balcao.core.database.queries import Conditions, page_sql
from balcao.core.http.paging import Page
from balcao.employability.selection.applications.schemas import StatusCounts
from balcao.employability.selection.applications.states import OVERLAYS
from balcao.employability.selection.candidates.filters import CandidateFilters

_SHOWN = "employability.shown_application_status({}.status, job.status, job.deleted_at)"
# The jobs first, so that theirs are found by the index of a job's applications.
_OF_DEPARTMENTS = """application.id_vaga = ANY (ARRAY(
    SELECT id FROM employability.job WHERE id_orgao_parceiro = ANY({}::text[])))"""
_BY_TEXT = "application.search_text LIKE employability.containing({})"


async def find_page(
    connection: Connection, departments: Sequence[str] | None, filters: CandidateFilters, page: Page
) -> tuple[list[UUID], StatusCounts]:
    """Return the ids of the page's applications, newest first, and how many there are of each shown status.

    `departments` confines them to jobs of these; None is all.
    """
    conditions = Conditions()
    conditions.add("application.status <> 'retirada'")
    if departments is not None:
        conditions.add(_OF_DEPARTMENTS, departments)
    if filters.job is not None:
        conditions.add("application.id_vaga = {}::uuid", filters.job)
    if filters.step is not None:
        conditions.add("application.id_etapa_atual = {}::uuid", filters.step)
    if filters.cpf is not None:
        conditions.add("application.cpf = {}::text", filters.cpf.digits)
    if filters.cpf_start is not None:
        conditions.add("application.cpf BETWEEN {}::text AND {}::text", *_list_ends(filters.cpf_start))
    if filters.text is not None:
        conditions.add(_BY_TEXT, filters.text)
    counting = f"""
        SELECT coalesce(jsonb_object_agg(summed.shown, summed.number), '{{}}') FROM (
            SELECT {_SHOWN.format("counted")} AS shown, sum(counted.number) AS number
            FROM (
                SELECT application.id_vaga, application.status, count(*) AS number FROM employability.application
                WHERE {conditions} GROUP BY 1, 2
            ) AS counted
            JOIN employability.job ON job.id = counted.id_vaga GROUP BY 1
        ) AS summed"""  # noqa: S608 - our own texts
    join = ""
    if filters.status is not None:
        join = "JOIN employability.job ON job.id = application.id_vaga"
        conditions.add(f"{_SHOWN.format('application')} = {{}}::text", filters.status)
        if filters.status not in OVERLAYS.values():
            conditions.add("application.status = {}::text", filters.status)  # what no job's state stands for
    end = len(conditions.values)
    listing = f"""
        SELECT application.id FROM employability.application {join} WHERE {conditions}
        ORDER BY application.created_at DESC, application.id LIMIT ${end + 1} OFFSET ${end + 2}"""  # noqa: S608 - our own texts
    found = await connection.fetch(page_sql(listing, counting), *conditions.values, page.limit, page.offset)
    ids = [row["id"] for row in found if row["place"] is not None]
    return ids, msgspec.json.decode(found[0]["total"], type=StatusCounts)


def _list_ends(start: str) -> tuple[str, str]:
    """Return the least and the greatest CPF that begins so."""
    return f"{start:0<11}", f"{start:9<11}"
