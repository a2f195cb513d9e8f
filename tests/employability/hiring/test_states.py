"""Job states: each row of the transition table, for each caller (rules: employability 4.1, 4.6)."""

import asyncio
import re
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from itertools import product
from pathlib import Path
from typing import Any

import httpx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, precondition, rule, run_state_machine_as_test

from balcao.core.database.pool import Database
from balcao.employability.hiring.listings.states import (
    EVENT_NAMES,
    STATUS_NAMES,
    TABLE,
    TRANSITIONS,
    Event,
    JobStatus,
    find_job_transition,
    show_job_status,
)
from tests.employability.hiring.callers import ADMIN, ALL_CALLERS, CITIZEN, CURATED, EDITOR, FOREIGN, VISITOR, Callers
from tests.employability.hiring.conftest import Create
from tests.employability.hiring.job_bodies import BASE, OTHER, PUBLIC, describe_job
from tests.support.fixture_types import Sql
from tests.support.proof_sizes import size
from tests.support.refusals import refusal

RULES = Path(__file__).parents[3] / "docs/reference/rules/employability.md"
STORED = [status for status in JobStatus if status is not JobStatus.EXPIRED]
# The role `editor_com_curadoria` may trigger only these events (rules: employability 4.6).
CURATED_MAY = {Event.SEND_TO_APPROVAL, Event.SEND_TO_DRAFT}
PUBLISHED = {JobStatus.ACTIVE, JobStatus.EXPIRED, JobStatus.FROZEN, JobStatus.DISCONTINUED}
Put = Callable[[str, JobStatus], None]


@pytest.fixture
def put_into(sql: Sql) -> Put:
    """Return a function that stores a job whose displayed state is the given one."""

    def put(id_: str, shown: JobStatus) -> None:
        stored = JobStatus.ACTIVE if shown is JobStatus.EXPIRED else shown
        limit = datetime.now(UTC) + timedelta(hours=-1 if shown is JobStatus.EXPIRED else 1)
        published = datetime.now(UTC) if shown in PUBLISHED else None
        sql(
            "UPDATE employability.job SET status = $2, data_limite = $3, publicado_em = $4 WHERE id = $1",
            id_,
            stored,
            limit,
            published,
        )

    return put


def expected(row_event: Event, shown: JobStatus, who: str) -> int:
    if who == VISITOR:
        return 401
    if who not in {EDITOR, ADMIN, FOREIGN, CURATED}:
        return 403
    if who == CURATED and row_event not in CURATED_MAY:
        return 403
    if who == FOREIGN:
        return 404
    return 200 if find_job_transition(row_event, shown) else 409


@pytest.mark.cases("employability", "25")
@pytest.mark.parametrize("shown", JobStatus)
def test_every_transition_answers_every_caller_as_the_table_says(
    http: httpx.Client, callers: Callers, create: Create, put_into: Put, shown: JobStatus
) -> None:
    id_ = create()["id"]
    for row, who in product(TRANSITIONS, ALL_CALLERS):
        put_into(id_, shown)
        answer = http.put(f"{BASE}/{id_}/{row.event}", headers=callers[who])
        assert answer.status_code == expected(row.event, shown, who), (row.event, who, answer.text)
        if answer.status_code == 200:
            assert answer.json() == {"message": row.done, "id": id_}
            assert row.target is not None
            now = http.get(f"{BASE}/{id_}", headers=callers[ADMIN]).json()["status"]
            past = shown is JobStatus.EXPIRED and row.target is JobStatus.ACTIVE
            assert now == (JobStatus.EXPIRED if past else row.target)
        elif answer.status_code == 409:
            text = answer.json()["error"]
            assert (refusal(answer), f"{STATUS_NAMES[shown]} (`{shown}`)" in text) == ((409, "job-state"), True)
            open_ = [other.event for other in TRANSITIONS if expected(other.event, shown, who) == 200]
            named = ", ".join(f"{EVENT_NAMES[event]} (`{event}`)" for event in open_) or "nenhuma"
            assert text.endswith(f"o que você pode fazer com ela agora: {named}.")
        elif answer.status_code == 403:
            assert all(f"`{name}`" in answer.json()["error"] for name in row.actions)


@pytest.mark.parametrize("shown", JobStatus)
def test_what_is_said_to_be_open_is_what_is_done(
    http: httpx.Client, callers: Callers, create: Create, put_into: Put, shown: JobStatus
) -> None:
    id_ = create()["id"]
    for who in (EDITOR, CURATED, ADMIN):
        put_into(id_, shown)
        told = http.get(f"{BASE}/{id_}", headers=callers[who]).json()["acoes_permitidas"]
        done = [row.event for row in TRANSITIONS if expected(row.event, shown, who) == 200]
        assert told == done


@pytest.mark.parametrize("shown", JobStatus)
def test_editing_and_deleting_depend_on_the_state_and_the_caller(
    http: httpx.Client, callers: Callers, create: Create, put_into: Put, shown: JobStatus
) -> None:
    for who in ALL_CALLERS:
        id_ = create()["id"]
        put_into(id_, shown)
        refused = {VISITOR: 401, FOREIGN: 404}.get(who, 403 if who not in {EDITOR, CURATED, ADMIN} else 200)
        wanted = 403 if who == CURATED and shown in PUBLISHED else refused
        assert http.put(f"{BASE}/{id_}", json=describe_job(), headers=callers[who]).status_code == wanted
        assert http.delete(f"{BASE}/{id_}", headers=callers[who]).status_code == wanted


def test_the_declared_table_is_that_of_the_rules() -> None:
    section = RULES.read_text("utf-8").split("### 4.1 Job")[1].split("### 4.2")[0]
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in section.splitlines() if "|" in line][2:]
    told = {
        (source, event, who, target)
        for sources, event, who, target, _ in rows
        for source in sources.split(", ")
        if event in {row.event for row in TRANSITIONS}
    }
    declared = {
        (
            source,
            row.event,
            " or ".join(f"`{name}`" for name in row.actions),
            "publicado_ativo or publicado_expirado" if row.event in {Event.UNFREEZE, Event.REACTIVATE} else row.target,
        )
        for row in TRANSITIONS
        for source in row.sources
    }
    assert told == declared


@given(
    status=st.sampled_from(STORED),
    limit=st.none() | st.datetimes(datetime(2020, 1, 1), datetime(2030, 1, 1)),
    seconds=st.integers(-1, 1),
)
@settings(max_examples=size(60, 2_000))
def test_expiry_is_the_same_in_sql_and_in_python(
    database_url: str, status: JobStatus, limit: datetime | None, seconds: int
) -> None:
    limit = limit and limit.replace(tzinfo=UTC)
    now = (limit or datetime(2026, 1, 1, tzinfo=UTC)) + timedelta(seconds=seconds)

    async def ask() -> Any:
        database = Database(database_url, size=1)
        await database.open()
        async with database.connection() as connection:
            found = await connection.fetchval("SELECT employability.shown_status($1, $2, $3)", status, limit, now)
        await database.close()
        return found

    assert asyncio.run(ask()) == show_job_status(status, limit, now)


@pytest.mark.cases("employability", "33", "34")
def test_an_expired_job_is_expired_in_lists_details_and_transitions(
    http: httpx.Client, callers: Callers, create: Create, put_into: Put
) -> None:
    id_ = create(titulo="Vencida única", acao="publicar")["id"]
    put_into(id_, JobStatus.EXPIRED)

    def listed(path: str, status: str | None) -> list[str]:
        query = {"search": "vencida"} | ({"status": status} if status else {})
        answer = http.get(path, params=query, headers=callers[EDITOR]).json()
        assert answer["meta"]["total"] == len(answer["data"])
        return [job["status"] for job in answer["data"]]

    for path in (BASE, PUBLIC):
        assert listed(path, "publicado_ativo") == []
        assert listed(path, "publicado_expirado") == listed(path, None) == ["publicado_expirado"]
        assert http.get(f"{path}/{id_}", headers=callers[EDITOR]).json()["status"] == "publicado_expirado"
    assert refusal(http.put(f"{BASE}/{id_}/freeze", headers=callers[EDITOR])) == (409, "job-state")
    longer = http.put(f"{BASE}/{id_}", json=describe_job(titulo="Vencida única"), headers=callers[EDITOR])
    assert longer.json()["status"] == "publicado_ativo"


def test_staffs_list_counts_the_jobs_in_reach_by_state_whichever_is_asked_for(
    http: httpx.Client, callers: Callers, create: Create, put_into: Put
) -> None:
    for number, status in enumerate(JobStatus):
        for _ in range(number + 1):
            put_into(create(titulo="Contada por situação", acao="publicar")["id"], status)
    create(ADMIN, titulo="Contada por situação", id_orgao_parceiro=OTHER)

    def ask(who: str = EDITOR, **query: str) -> dict[str, Any]:
        answer: dict[str, Any] = http.get(
            BASE, params={"search": "contada", **query, "pageSize": "1"}, headers=callers[who]
        ).json()
        return answer

    numbers = {status.value: number + 1 for number, status in enumerate(JobStatus)}
    assert ask()["resumo"] == numbers
    assert list(ask()["resumo"]) == list(numbers)
    for shown, number in numbers.items():
        page = ask(status=shown)
        assert (page["meta"]["total"], page["resumo"]) == (number, numbers)
    assert ask(ADMIN)["resumo"] == numbers | {"em_edicao": 2}
    assert ask(search="ninguém")["resumo"] == dict.fromkeys(numbers, 0)


@pytest.mark.cases("employability", "36")
def test_a_job_reactivated_after_its_limit_is_shown_as_expired(
    http: httpx.Client, callers: Callers, create: Create, expire: Callable[[str], None]
) -> None:
    id_ = create(acao="publicar")["id"]
    http.put(f"{BASE}/{id_}/discontinue", headers=callers[EDITOR])
    expire(id_)
    assert http.put(f"{BASE}/{id_}/reactivate", headers=callers[EDITOR]).status_code == 200
    assert http.get(f"{PUBLIC}/{id_}").json()["status"] == "publicado_expirado"


@pytest.mark.cases("employability", "24")
def test_of_two_publications_at_once_one_is_refused(http: httpx.Client, callers: Callers, create: Create) -> None:
    id_ = create()["id"]
    with ThreadPoolExecutor(2) as pool:
        publish = lambda _: http.put(f"{BASE}/{id_}/publish", headers=callers[EDITOR]).status_code  # noqa: E731
        assert sorted(pool.map(publish, range(2))) == [200, 409]


def test_every_change_stands_in_the_history_and_the_audit_trail(
    http: httpx.Client, callers: Callers, create: Create, sql: Sql
) -> None:
    id_ = create()["id"]
    path = f"{BASE}/{id_}"
    http.put(f"{path}/send-to-approval", headers=callers[CURATED])
    http.put(path, json=describe_job(titulo="Outro"), headers=callers[CURATED])
    http.put(f"{path}/send-to-draft", json={"motivo": " Falta o salário. "}, headers=callers[EDITOR])
    http.put(f"{path}/publish", headers=callers[EDITOR])
    published = http.get(path, headers=callers[EDITOR]).json()["publicado_em"]
    for event in ("freeze", "unfreeze", "discontinue", "reactivate"):
        assert http.put(f"{path}/{event}", headers=callers[EDITOR]).status_code == 200
    assert http.get(path, headers=callers[EDITOR]).json()["publicado_em"] == published
    history = http.get(f"{path}/historico", headers=callers[EDITOR]).json()
    assert [(each["de"], each["evento"], each["para"], each["motivo"]) for each in reversed(history["data"])] == [
        (None, "create", "em_edicao", None),
        ("em_edicao", "send-to-approval", "em_aprovacao", None),
        ("em_aprovacao", "edited", "em_aprovacao", None),
        ("em_aprovacao", "send-to-draft", "em_edicao", "Falta o salário."),
        ("em_edicao", "publish", "publicado_ativo", None),
        ("publicado_ativo", "freeze", "vaga_congelada", None),
        ("vaga_congelada", "unfreeze", "publicado_ativo", None),
        ("publicado_ativo", "discontinue", "vaga_descontinuada", None),
        ("vaga_descontinuada", "reactivate", "publicado_ativo", None),
    ]
    assert history["data"][-1]["por"] == "Equipe editor sem curadoria"
    assert re.search(CITIZEN, str(history)) is None
    events = sql("SELECT action, \"grant\" FROM platform.audit_event WHERE operation = 'employability.reactivate_job'")
    assert ("update", "job_listing:close") in {tuple(event) for event in events}


def test_jobs_walk_only_where_the_table_leads(http: httpx.Client, callers: Callers, create: Create, sql: Sql) -> None:
    class Walk(RuleBasedStateMachine):
        def __init__(self) -> None:
            super().__init__()
            self.id = create()["id"]
            self.stored, self.is_late = JobStatus.EDITING, False

        @property
        def shown(self) -> JobStatus:
            late = self.is_late and self.stored is JobStatus.ACTIVE
            return JobStatus.EXPIRED if late else self.stored

        @rule(row=st.sampled_from(TRANSITIONS), who=st.sampled_from([EDITOR, CURATED, ADMIN]))
        def move(self, row: Any, who: str) -> None:
            wanted = expected(row.event, self.shown, who)
            if wanted == 200 and row.is_checked and self.is_late:
                wanted = 400
            answer = http.put(f"{BASE}/{self.id}/{row.event}", headers=callers[who])
            assert answer.status_code == wanted, answer.text
            self.stored = row.target if wanted == 200 else self.stored
            self.compare()

        @precondition(lambda self: not self.is_late)
        @rule()
        def let_the_limit_pass(self) -> None:
            sql("UPDATE employability.job SET data_limite = now() - interval '1 hour' WHERE id = $1", self.id)
            self.is_late = True
            self.compare()

        @rule()
        def give_more_time(self) -> None:
            answer = http.put(f"{BASE}/{self.id}", json=describe_job(), headers=callers[EDITOR])
            assert answer.status_code == 200
            self.is_late = False
            self.compare()

        def compare(self) -> None:
            assert http.get(f"{BASE}/{self.id}", headers=callers[ADMIN]).json()["status"] == self.shown
            public = http.get(f"{PUBLIC}/{self.id}")
            assert public.status_code == (200 if self.shown in PUBLISHED else 404)
            assert public.status_code == 404 or public.json()["status"] == self.shown

    run_state_machine_as_test(
        Walk, settings=settings(max_examples=size(6, 200), stateful_step_count=size(12, 40), deadline=None)
    )


def test_every_state_can_be_edited_and_deleted_by_somebody() -> None:
    for event in (Event.EDIT, Event.DELETE):
        assert all(find_job_transition(event, shown) for shown in JobStatus)
    assert {row.event for row in TABLE} == set(Event)
