"""SQL for job lists. A statement contains only the requested conditions, so each combination has its own plan."""

from datetime import datetime
from typing import Any
from uuid import UUID
from zoneinfo import ZoneInfo

import msgspec

from balcao.core.database.pool import Connection
from balcao.core.database.queries import Conditions, fetch_page, page_sql
from balcao.core.database.results import Json
from balcao.core.database.statements import statement
from balcao.core.values.page import Page
from balcao.employability.hiring.departments.scope import Scope
from balcao.employability.hiring.listings.schemas import Job, JobItem
from balcao.employability.hiring.listings.store import ITEM_SQL, JOINS_SQL, REACHED_SQL, SHOWN_SQL, whole_jobs_sql
from balcao.employability.hiring.search.schemas import JobCounts, JobFilters, find_since


async def list_jobs_in_reach(
    connection: Connection, scope: Scope, filters: JobFilters, page: Page, now: datetime, zone: ZoneInfo
) -> tuple[list[JobItem], JobCounts]:
    """Return the page's jobs within reach, newest first, and the number of jobs in each state.

    The numbers ignore the status filter.
    """
    departments = None if scope.departments is None else sorted(scope.departments)
    conditions = Conditions(now, departments, scope.author)
    conditions.add("job.deleted_at IS NULL")
    conditions.add(_number(REACHED_SQL, departments=2, author=3))
    _add_filters(conditions, filters, now, zone)
    counting = f"""
        SELECT coalesce(jsonb_object_agg(counted.shown, counted.number), '{{}}') FROM (
            SELECT {_number(SHOWN_SQL)} AS shown, count(*) AS number
            FROM employability.job WHERE {conditions} GROUP BY 1
        ) AS counted"""
    _add_status(conditions, filters)
    jobs, counts = await _fetch(connection, conditions, page, "job.created_at", counting)
    return jobs, msgspec.json.decode(counts, type=JobCounts)


async def list_published_jobs(
    connection: Connection, filters: JobFilters, page: Page, now: datetime, zone: ZoneInfo
) -> tuple[list[JobItem], int]:
    """Return the page's published jobs, latest publication first, and the number of jobs on all pages."""
    conditions = Conditions(now)
    conditions.add("job.deleted_at IS NULL")
    conditions.add("job.publicado_em IS NOT NULL")
    _add_filters(conditions, filters, now, zone)
    _add_status(conditions, filters)
    counting = f"SELECT count(*) FROM employability.job WHERE {conditions}"
    return await _fetch(connection, conditions, page, "job.publicado_em", counting)


async def _fetch(
    connection: Connection, conditions: Conditions, page: Page, order: str, counting: str
) -> tuple[list[JobItem], Any]:
    """Return the page's jobs, and the result of `counting`, which uses only the first parameters of `conditions`."""
    end = len(conditions.values)
    # The inner query selects only the ids of the page. An index contains the sort column and most filter columns, so
    # PostgreSQL does not read the wide rows of jobs on other pages.
    listing = f"""
        SELECT to_jsonb(found) AS document FROM (
            SELECT {_number(ITEM_SQL)}
            FROM (
                SELECT job.id FROM employability.job WHERE {conditions}
                ORDER BY {order} DESC, job.id LIMIT ${end + 1} OFFSET ${end + 2}
            ) AS listed JOIN employability.job ON job.id = listed.id {JOINS_SQL}
            ORDER BY {order} DESC, job.id
        ) AS found"""
    rows, total = await fetch_page(connection, page_sql(listing, counting), *conditions.values, page.limit, page.offset)
    return [msgspec.json.decode(row["document"], type=JobItem) for row in rows], total


_IN_NAME = "{} LIKE ANY (ARRAY(SELECT employability.containing(part) FROM unnest({{}}::text[]) AS part))"
_IN_NEIGHBOURHOOD = _IN_NAME.format("job.bairro_folded")
_OF_COMPANY = f"""(job.id_contratante = ANY({{}}::text[]) OR EXISTS (
    SELECT FROM employability.company
    WHERE company.cnpj = job.id_contratante AND {_IN_NAME.format("company.search_text")}))"""


def _add_status(conditions: Conditions, filters: JobFilters) -> None:
    if filters.status is not None:
        conditions.add(f"{_number(SHOWN_SQL)} = {{}}", filters.status)


def _add_filters(conditions: Conditions, filters: JobFilters, now: datetime, zone: ZoneInfo) -> None:
    """Add every requested condition except the status."""
    if filters.companies or filters.company_names:
        conditions.add(_OF_COMPANY, filters.companies, filters.company_names)
    if filters.department is not None:
        conditions.add("job.id_orgao_parceiro = {}", filters.department)
    if filters.search is not None:
        conditions.add("job.titulo_folded LIKE employability.containing({})", filters.search)
    if filters.period is not None:
        conditions.add("job.publicado_em >= {}", find_since(filters.period, now, zone))
    if filters.contract_types:
        conditions.add("job.id_regime_contratacao = ANY({}::uuid[])", filters.contract_types)
    if filters.work_models:
        conditions.add("job.id_modelo_trabalho = ANY({}::uuid[])", filters.work_models)
    if filters.accessibility:
        conditions.add("job.acessibilidade_pcd = ANY({}::text[])", filters.accessibility)
    if filters.neighbourhoods:
        conditions.add(_IN_NEIGHBOURHOOD, filters.neighbourhoods)


def _number(text: str, **places: int) -> str:
    """Replace named parameters by positions. `:now` is always the first."""
    for name, place in {"now": 1, **places}.items():
        text = text.replace(f":{name}", f"${place}")
    return text


async def read_job_by_slug(connection: Connection, beginning: str, slug: str, now: datetime) -> Job | None:
    """Return the published job whose id starts with these twelve digits.

    If several jobs match, prefer the job with this slug.
    """
    return await _read_job_between(connection, UUID(f"{beginning:0<32}"), UUID(f"{beginning:f<32}"), slug, now)


@statement(f"""
{whole_jobs_sql("job.publicado_em IS NOT NULL AND job.id BETWEEN :lowest AND :highest")}
ORDER BY found.slug = :slug DESC, found.id LIMIT 1
""")
async def _read_job_between(
    connection: Connection, lowest: UUID, highest: UUID, slug: str, now: datetime
) -> Json[Job] | None: ...
