"""Application states: the code, the SQL and the rules contain the same transition table, and random walks follow it.

Rules: employability 4.3.
"""

import re
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from itertools import product
from pathlib import Path

import httpx
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule, run_state_machine_as_test

from balcao.employability.hiring.listings.states import JobStatus
from balcao.employability.selection.applications.states import (
    SHOWN,
    TABLE,
    ApplicationStatus,
    Event,
    find_application_transition,
    show_application_status,
)
from balcao.employability.texts import fold_line
from tests.employability.hiring.callers import EDITOR, Callers
from tests.employability.hiring.job_bodies import BASE as JOBS
from tests.employability.hiring.job_bodies import PUBLIC
from tests.employability.people import citizen
from tests.employability.selection.application_bodies import BASE, person
from tests.employability.selection.conftest import Apply, Publish
from tests.employability.tallies import list_wrong_tallies
from tests.support.fixture_types import Sql
from tests.support.issuer import Issuer
from tests.support.proof_sizes import size

RULES = Path(__file__).parents[3] / "docs/reference/rules/employability.md"
SENT, APPROVED, REJECTED = "candidatura_enviada", "aprovada", "reprovada"
FROZEN, CLOSED = "vaga_congelada", "vaga_descontinuada"


def read_page() -> dict[str, tuple[set[str], str]]:
    """Parse the page's table: for each stored status, the statuses that staff may set and the candidate's rights."""
    section = RULES.read_text("utf-8").partition("### 4.3 ")[2].partition("### 4.4 ")[0]
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in section.splitlines() if line.startswith("|")]
    return {row[0].split()[0]: (set(re.findall("|".join(SHOWN), row[1])), row[2]) for row in rows[2:]}


def test_the_table_is_that_of_the_rules() -> None:
    page = read_page()
    assert set(page) == set(SHOWN)
    for own in SHOWN:
        staff = {row.target for row in TABLE if own in row.sources and row.action and row.target}
        assert (staff, any(row.event is Event.WITHDRAW and own in row.sources for row in TABLE)) == (
            page[own][0],
            page[own][1] == "withdrawn",
        )


def test_no_event_happens_to_what_was_withdrawn() -> None:
    for event, job, has_step in product(Event, JobStatus, (False, True)):
        assert find_application_transition(event, ApplicationStatus.WITHDRAWN, job, has_step=has_step) is None


def test_the_shown_status_is_the_same_in_sql(sql: Sql) -> None:
    """An application treats a deleted job like a discontinued one."""
    stored = [status for status in JobStatus if status is not JobStatus.EXPIRED]
    for own, job, is_deleted in product(ApplicationStatus, stored, (False, True)):
        found = sql(
            "SELECT employability.shown_application_status($1, $2, CASE WHEN $3 THEN now() END)", own, job, is_deleted
        )[0][0]
        assert found == show_application_status(own, JobStatus.DISCONTINUED if is_deleted else job)


# Characters that exist in the Unicode version of every program involved.
KNOWN = st.characters(min_codepoint=1, max_codepoint=0x2FFF, exclude_categories=["Cs", "Cn"])


@settings(max_examples=size(20, 500), suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(texts=st.lists(st.text(KNOWN, max_size=12), max_size=40))
def test_texts_are_the_same_to_the_server_and_to_sql(sql: Sql, texts: list[str]) -> None:
    rows = sql(
        "SELECT employability.folded(given) FROM unnest($1::text[]) WITH ORDINALITY AS t (given, n) ORDER BY n", texts
    )
    assert [row[0] for row in rows] == [fold_line(text) for text in texts]


# The status changes allowed to staff, repeated here independently of the product's table.
MAY_BECOME = {
    SENT: {APPROVED, REJECTED, FROZEN, CLOSED},
    APPROVED: {SENT, REJECTED, FROZEN, CLOSED},
    REJECTED: {SENT, APPROVED, FROZEN, CLOSED},
    FROZEN: {SENT, APPROVED, REJECTED, CLOSED},
    CLOSED: set(),
}
MOVES = {
    ("freeze", "publicado_ativo"): FROZEN,
    ("unfreeze", FROZEN): "publicado_ativo",
    ("discontinue", "publicado_ativo"): CLOSED,
    ("discontinue", "publicado_expirado"): CLOSED,
    ("discontinue", FROZEN): CLOSED,
    ("reactivate", CLOSED): "publicado_ativo",
}


@pytest.mark.long
def test_random_walks_keep_to_the_rules(
    http: httpx.Client, issuer: Issuer, callers: Callers, publish: Publish, apply: Apply, sql: Sql
) -> None:
    """In any order, citizens apply and withdraw, staff decide, and the job is frozen, closed, edited or expires."""
    walks = iter(range(10_000))

    class Walk(RuleBasedStateMachine):
        def __init__(self) -> None:
            super().__init__()
            self.job = publish(etapas=[{"titulo": name, "descricao": name} for name in "ABC"])
            self.steps = [step["id"] for step in self.job["etapas"]]
            number = next(walks)
            self.people = [person(1_000 + 2 * number), person(1_001 + 2 * number)]
            self.stored = "publicado_ativo"
            self.is_expired = False
            self.own: dict[str, str] = {}
            self.step: dict[str, str | None] = {}
            self.ids: dict[str, str] = {}
            self.withdrawn = dict.fromkeys(self.people, 0)

        @property
        def shown_job(self) -> str:
            return "publicado_expirado" if self.is_expired and self.stored == "publicado_ativo" else self.stored

        @property
        def is_paused(self) -> bool:
            return self.stored in {FROZEN, CLOSED}

        @rule(place=st.integers(0, 1))
        def apply(self, place: int) -> None:
            cpf = self.people[place]
            answer = apply(self.job, cpf)
            if self.shown_job != "publicado_ativo" or cpf in self.own or self.withdrawn[cpf] == 3:
                expected = 400
            else:
                expected = 201
                self.own[cpf], self.step[cpf], self.ids[cpf] = SENT, None, answer.json()["id"]
            assert answer.status_code == expected, answer.text

        @rule(place=st.integers(0, 1))
        def withdraw(self, place: int) -> None:
            cpf = self.people[place]
            if cpf not in self.ids:
                return
            answer = http.delete(f"{BASE}/{self.ids[cpf]}", headers=citizen(issuer, cpf))
            expected = 404 if cpf not in self.own else 200 if self.own[cpf] == SENT else 409
            assert answer.status_code == expected, answer.text
            if expected == 200:
                self.withdrawn[cpf] += 1
                del self.own[cpf], self.step[cpf]

        @rule(place=st.integers(0, 1), status=st.sampled_from([SENT, APPROVED, REJECTED, FROZEN, CLOSED]))
        def decide(self, place: int, status: str) -> None:
            cpf = self.people[place]
            if cpf not in self.own:
                return
            answer = http.put(f"{BASE}/{self.ids[cpf]}/status", json={"status": status}, headers=callers[EDITOR])
            is_open = not self.is_paused and status in {self.own[cpf], *MAY_BECOME[self.own[cpf]]}
            assert answer.status_code == (200 if is_open else 409), answer.text
            if is_open:
                self.own[cpf] = status

        @rule(place=st.integers(0, 1), step=st.integers(-1, 2))
        def set_step(self, place: int, step: int) -> None:
            cpf = self.people[place]
            if cpf not in self.own or step >= len(self.steps):
                return
            wanted = self.steps[step] if step >= 0 else None
            answer = http.put(f"{BASE}/{self.ids[cpf]}/etapa", json={"id_etapa_atual": wanted}, headers=callers[EDITOR])
            is_open = not self.is_paused and self.own[cpf] in {SENT, APPROVED}
            assert answer.status_code == (200 if is_open else 409), answer.text
            if is_open:
                self.step[cpf] = wanted

        @rule(event=st.sampled_from(["freeze", "unfreeze", "discontinue", "reactivate"]))
        def move_job(self, event: str) -> None:
            after = MOVES.get((event, self.shown_job))
            answer = http.put(f"{JOBS}/{self.job['id']}/{event}", headers=callers[EDITOR])
            assert answer.status_code == (409 if after is None else 200), answer.text
            self.stored = after or self.stored

        @rule(is_expired=st.booleans())
        def let_time_pass(self, is_expired: bool) -> None:
            limit = datetime.now(UTC) + timedelta(days=-1 if is_expired else 1)
            sql("UPDATE employability.job SET data_limite = $2 WHERE id = $1", self.job["id"], limit)
            self.is_expired = is_expired

        @rule(place=st.integers(0, 2))
        def remove_step(self, place: int) -> None:
            if place >= len(self.steps) or len(self.steps) == 1:
                return
            gone = self.steps.pop(place)
            answer = http.delete(f"{JOBS}/{self.job['id']}/etapas/{gone}", headers=callers[EDITOR])
            assert answer.status_code == 200, answer.text
            for cpf, step in self.step.items():
                if step == gone:
                    self.step[cpf] = self.steps[place - 1] if place > 0 else None

        @invariant()
        def all_readers_see_the_same(self) -> None:
            job = http.get(f"{PUBLIC}/{self.job['id']}").json()
            assert job["status"] == self.shown_job
            for status in ("publicado_ativo", "publicado_expirado"):
                listed = http.get(PUBLIC, params={"status": status, "pageSize": 100}).json()
                assert (self.job["id"] in {each["id"] for each in listed["data"]}) == (self.shown_job == status)
            for cpf in self.people:
                found = http.get(f"{BASE}/usuario/{cpf}", headers=citizen(issuer, cpf)).json()
                shown = [(each["status"], each["status_anterior"], each["id_etapa_atual"]) for each in found["data"]]
                own = self.own.get(cpf)
                if own is None:
                    assert shown == []
                    continue
                status = self.stored if self.is_paused else own
                assert shown == [(status, own if status != own else None, self.step[cpf])]
                assert found["resumo"] == dict.fromkeys((SENT, APPROVED, REJECTED, FROZEN, CLOSED), 0) | {status: 1}
            assert list_wrong_tallies(sql) == []

    run_state_machine_as_test(
        Walk,
        settings=settings(
            max_examples=size(6, 100),
            stateful_step_count=size(12, 30),
            deadline=None,
            suppress_health_check=list(HealthCheck),
        ),
    )


def test_nobody_applies_while_the_job_is_frozen_and_no_application_is_lost(
    http: httpx.Client, callers: Callers, publish: Publish, apply: Apply, sql: Sql
) -> None:
    """Citizens apply while staff repeatedly freeze and unfreeze the job."""
    job = publish()
    people = [person(50_000 + number) for number in range(size(24, 200))]

    def pause(_: int) -> None:
        for event in ("freeze", "unfreeze"):
            assert http.put(f"{JOBS}/{job['id']}/{event}", headers=callers[EDITOR]).status_code == 200

    with ThreadPoolExecutor(size(12, 40)) as pool, ThreadPoolExecutor(1) as staff:
        sent = [pool.submit(apply, job, cpf) for cpf in people]
        for number in range(size(6, 30)):
            staff.submit(pause, number).result()
        answers = dict(zip(people, (each.result() for each in sent), strict=True))
    accepted = {cpf for cpf, answer in answers.items() if answer.status_code == 201}
    refused = {answer.headers["Error-Code"] for answer in answers.values() if answer.status_code != 201}
    assert refused <= {"job-not-active"}
    stored = sql("SELECT cpf, id, created_at FROM employability.application WHERE id_vaga = $1", job["id"])
    assert {row["cpf"] for row in stored} == accepted
    moves = sql("SELECT evento, em FROM employability.job_event WHERE id_vaga = $1 ORDER BY id", job["id"])
    frozen = [row["em"] for row in moves if row["evento"] == "freeze"]
    thawed = [row["em"] for row in moves if row["evento"] == "unfreeze"]
    pauses = list(zip(frozen, thawed, strict=True))
    assert not [row for row in stored if any(start < row["created_at"] < end for start, end in pauses)]
    told = sql(
        "SELECT convert_from(payload, 'UTF8')::jsonb ->> 'application' AS id FROM queue.pgqueuer"
        " WHERE convert_from(payload, 'UTF8')::jsonb ->> 'kind' = 'candidatura_recebida'"
    )
    assert {str(row["id"]) for row in stored} <= {row["id"] for row in told}
    assert list_wrong_tallies(sql) == []
    # After the pauses, a rejected person can apply, or a new person if none was rejected.
    late = next((cpf for cpf in people if cpf not in accepted), person(60_000))
    assert apply(job, late).status_code == 201
