"""SQL for the staff's list of applications.

A statement contains only the requested conditions, so each combination has its own plan.
"""

from collections.abc import Sequence
from typing import Any
from uuid import UUID

import msgspec

from balcao.core.database.pool import Connection
from balcao.core.database.queries import Conditions, page_sql
from balcao.core.database.statements import statement
from balcao.core.values.page import Page
from balcao.employability.selection.applications.schemas import StatusCounts
from balcao.employability.selection.applications.states import OVERLAYS, SHOWN, ApplicationStatus
from balcao.employability.selection.candidates.filters import NUMBER, AnswerFilter, CandidateFilters
from balcao.employability.selection.candidates.schemas import StepAndStatus

# A tally counts the applications for a job by own status. `overlay` is the status that the job's state imposes on all
# of them, or null.
_TALLY = "employability.application_tally AS tally"
_JOBS = "SELECT tally.id_vaga FROM employability.application_tally AS tally WHERE {}"
_OF_DEPARTMENTS = "tally.department = ANY({}::text[])"
_OVERLAID = "tally.overlay = '{}'"
_LISTED = "SELECT application.id, application.created_at FROM employability.application"
_BY_TEXT = "application.search_text LIKE employability.containing({})"
# OFFSET 0 stops PostgreSQL from turning this subquery into a join with the answers for all jobs.
_ANSWERED = """EXISTS (
    SELECT FROM employability.application_content AS content, jsonb_array_elements(content.respostas) AS answer
    WHERE content.id_candidatura = application.id AND answer ->> 'id_info' = {}::text AND %s
    OFFSET 0)"""
# CASE prevents the cast of an answer that is not a number. There may be such answers from a time when the question had
# another type.
_NUMBER = NUMBER.pattern.replace("{", "{{").replace("}", "}}")  # doubled, because braces in conditions mark values
_ANSWER_NUMBER = f"""CASE WHEN answer ->> 'resposta' ~ '^{_NUMBER}$'
    THEN replace(answer ->> 'resposta', ',', '.')::numeric END"""
# Two forms of the condition for the job. With the first form, PostgreSQL filters the newest applications by a set of
# jobs in memory. With the second form, it looks up each job in an index. IS TRUE stops PostgreSQL from turning the
# first form into a join.
_JOB_FILTER = f"(application.id_vaga IN ({_JOBS})) IS TRUE"
_JOB_BY_JOB = f"application.id_vaga = ANY (ARRAY({_JOBS}))"
# The cost of reading and sorting one matching application, relative to the cost of skipping one in the sorted list.
_COST_OF_SORTING = 4


async def find_candidate_page(
    connection: Connection, departments: Sequence[str] | None, filters: CandidateFilters, page: Page
) -> tuple[list[UUID], StatusCounts]:
    """Return the ids of one page of applications, newest first, and the number of applications with each status.

    `departments` limits the jobs. None means all departments.
    """
    of_jobs = Conditions()
    of_jobs.add("true")
    if departments is not None:
        of_jobs.add(_OF_DEPARTMENTS, departments)
    if filters.job is not None:
        of_jobs.add("tally.id_vaga = {}::uuid", filters.job)
    # If the filters concern only jobs and statuses, the tallies contain the counts. Otherwise, count the matches.
    is_tallied = filters.names_no_person
    if is_tallied and filters.job is None and (departments is not None or filters.status in OVERLAYS.values()):
        counts, everything = await _read_tallies(connection, of_jobs)
        are_few = _are_few(filters.status, counts, everything, page)
        listing, values = _list(departments, filters, job_by_job=are_few)
        return [row["id"] for row in await connection.fetch(_cut(listing, values), *values, *_bounds(page))], counts
    listing, values = _list(departments, filters)
    counting = _add_up(of_jobs) if is_tallied else _count(_match(departments, filters))
    found = await connection.fetch(page_sql(_cut(listing, values), counting), *values, *_bounds(page))
    return [row["id"] for row in found if row["place"] is not None], _decode(found[0]["total"])


def _match(departments: Sequence[str] | None, filters: CandidateFilters, within: str = _JOB_FILTER) -> Conditions:
    """Return the conditions for all filters except the status. `departments` is the first parameter."""
    conditions = Conditions()
    conditions.add("application.status <> 'retirada'")
    if departments is not None:
        conditions.add(within.format(_OF_DEPARTMENTS), departments)
    if filters.job is not None:
        conditions.add("application.id_vaga = {}::uuid", filters.job)
    if filters.step is not None:
        conditions.add("application.id_etapa_atual = {}::uuid", filters.step)
    if filters.without_step:
        conditions.add("application.id_etapa_atual IS NULL")
    if filters.cpf is not None:
        conditions.add("application.cpf = {}::text", filters.cpf.digits)
    if filters.cpf_start is not None:
        least, greatest = f"{filters.cpf_start:0<11}", f"{filters.cpf_start:9<11}"
        conditions.add("application.cpf BETWEEN {}::text AND {}::text", least, greatest)
    if filters.text is not None:
        conditions.add(_BY_TEXT, filters.text)
    if filters.answer is not None:
        _add_answer(conditions, filters.answer)
    return conditions


def _add_answer(conditions: Conditions, wanted: AnswerFilter) -> None:
    tests = ["true"]
    values: list[Any] = [str(wanted.question)]
    if wanted.text is not None:
        tests.append("employability.folded(answer ->> 'resposta') LIKE employability.containing({})")
        values.append(wanted.text)
    for bound, sign in ((wanted.lowest, ">="), (wanted.greatest, "<=")):
        if bound is not None:
            tests.append(f"{_ANSWER_NUMBER} {sign} {{}}::numeric")
            values.append(bound)
    conditions.add(_ANSWERED % " AND ".join(tests), *values)


def _list(
    departments: Sequence[str] | None, filters: CandidateFilters, *, job_by_job: bool = False
) -> tuple[str, list[Any]]:
    """Return the SQL that selects the applications, and its parameters.

    Use `job_by_job` if few applications match. MATERIALIZED then makes PostgreSQL find all matches first. Otherwise it
    could walk through the newest applications until the page is full, and the newest match may be far down the list.
    """
    within = _JOB_BY_JOB if job_by_job else _JOB_FILTER
    conditions = _match(departments, filters, within)
    listed = f"{_LISTED} WHERE {conditions}"
    if filters.status is not None:
        overlaid = f"application.id_vaga NOT IN ({_JOBS.format('tally.overlay IS NOT NULL')})"
        own = f"application.status = '{filters.status}' AND {overlaid}"
        shown = within.format(_OVERLAID.format(filters.status))
        if filters.status not in OVERLAYS.values():
            listed = f"{listed} AND {own}"
        elif job_by_job:
            listed = f"{listed} AND {own} UNION ALL {listed} AND {shown}"
        else:
            listed = f"{listed} AND ({shown} OR {own})"
    if job_by_job:
        listed = f"SELECT id, created_at FROM (WITH few AS MATERIALIZED ({listed}) SELECT * FROM few) AS found"
    return listed, conditions.values


def _cut(listing: str, values: Sequence[Any]) -> str:
    return f"{listing} ORDER BY created_at DESC, id LIMIT ${len(values) + 1} OFFSET ${len(values) + 2}"


def _bounds(page: Page) -> tuple[int, int]:
    return page.limit, page.offset


_ALL = " + ".join(f"tally.{status}" for status in SHOWN)
_SUMS = ", ".join(
    f"'{status}', coalesce(sum(CASE WHEN tally.overlay IS NULL THEN tally.{status}"
    f" WHEN tally.overlay = '{status}' THEN {_ALL} END), 0)"
    for status in SHOWN
)


def _add_up(conditions: Conditions) -> str:
    return f"SELECT jsonb_build_object({_SUMS}) FROM {_TALLY} WHERE {conditions}"


async def _read_tallies(connection: Connection, conditions: Conditions) -> tuple[StatusCounts, int]:
    """Return the number of matching applications with each status, and the number of all applications."""
    statement = f"SELECT ({_add_up(conditions)}) AS counts, (SELECT sum({_ALL}) FROM {_TALLY}) AS everything"
    row = await connection.fetchrow(statement, *conditions.values)
    assert row is not None
    return _decode(row["counts"]), row["everything"] or 0


def _count(conditions: Conditions) -> str:
    return f"""
        SELECT coalesce(jsonb_object_agg(summed.shown, summed.number), '{{}}') FROM (
            SELECT coalesce(tally.overlay, counted.status) AS shown, sum(counted.number) AS number
            FROM (
                SELECT application.id_vaga, application.status, count(*) AS number FROM employability.application
                WHERE {conditions} GROUP BY 1, 2
            ) AS counted
            JOIN {_TALLY} USING (id_vaga) GROUP BY 1
        ) AS summed"""


def _are_few(status: ApplicationStatus | None, counts: StatusCounts, everything: int, page: Page) -> bool:
    """Return whether reading all matches costs less than walking through the newest applications to the page's end.

    On average, the walk takes `everything / matching` steps for each match up to the end of the page.
    """
    numbers: dict[str, int] = msgspec.structs.asdict(counts)
    matching = sum(numbers.values()) if status is None else numbers[status]
    return _COST_OF_SORTING * matching**2 < (page.offset + page.limit) * everything


def _decode(counts: str) -> StatusCounts:
    return msgspec.json.decode(counts, type=StatusCounts)


@statement(f"""
SELECT application.id_etapa_atual AS step, coalesce(tally.overlay, application.status) AS status, count(*) AS number
FROM employability.application JOIN {_TALLY} USING (id_vaga)
WHERE application.id_vaga = :job AND application.status <> 'retirada'
GROUP BY 1, 2
""")
async def count_job_candidates(connection: Connection, job: UUID) -> list[StepAndStatus]:
    """Return the number of applications for a job by step and status. Withdrawn applications are not counted."""
