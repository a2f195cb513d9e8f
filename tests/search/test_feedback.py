"""Feedback about the page of a service (rules: search 2.7)."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any, cast
from uuid import uuid4

import asyncpg
import httpx
import pytest

from balcao.core.database.pool import Connection
from balcao.search.feedback.service import KEPT_DAYS, MOST_COMMENTS_A_DAY
from balcao.search.feedback.store import delete_old_comments, delete_old_feedback_days
from tests.search.staff import EDITOR, Staff, with_required
from tests.search.support import refusal
from tests.support.demo_people import ANA
from tests.support.fixture_types import Sql
from tests.support.issuer import Issuer, bearer

BASE = "/search/api/v1/services"


@pytest.fixture(autouse=True)
def _no_feedback(sql: Sql) -> None:
    sql("TRUNCATE search.service_feedback, search.service_feedback_days")


@pytest.fixture
def portal(issuer: Issuer) -> dict[str, str]:
    """Return the token of a portal. A portal's rate allows a lot of feedback."""
    return bearer(issuer.machine("portal-cidadao", "busca:search"))


def give(http: httpx.Client, slug: str, portal: dict[str, str], helpful: Any = True, **members: Any) -> httpx.Response:
    return http.post(f"{BASE}/{slug}/feedback", json={"helpful": helpful, **members}, headers=portal)


def read(staff: Staff, service: dict[str, Any], **query: Any) -> dict[str, Any]:
    answer = staff("GET", f"/services/{service['id']}/feedback", params=query, role=EDITOR)
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


def test_staff_read_what_visitors_said(http: httpx.Client, staff: Staff, portal: dict[str, str], sql: Sql) -> None:
    service = staff.publish()
    assert read(staff, service)["comments"] == []
    answers: list[tuple[bool, str | None]] = [
        (True, None), (False, "Não diz onde fica.\nFaltou o horário."), (True, " "), (True, "Ótimo <b>&amp;</b>"),
    ]  # fmt: skip
    for helpful, comment in answers:
        answer = give(http, service["slug"], portal, helpful, comment=comment)
        assert (answer.status_code, answer.content) == (204, b"")
    found = read(staff, service)
    assert (found["helpful"], found["not_helpful"], found["found"]) == (3, 1, 2)
    assert [(each["helpful"], each["comment"]) for each in found["comments"]] == [
        (True, "Ótimo <b>&amp;</b>"), (False, "Não diz onde fica.\nFaltou o horário.")
    ]  # fmt: skip
    assert set(found["comments"][0]) == {"id", "at", "helpful", "comment"}
    assert [each["comment"] for each in read(staff, service, page=2, per_page=1)["comments"]] == [answers[1][1]]
    said = read(staff, service, helpful="false")
    assert (said["found"], [each["comment"] for each in said["comments"]]) == (1, [answers[1][1]])
    assert read(staff, service, helpful="true")["found"] == 1
    columns = sql("SELECT column_name FROM information_schema.columns WHERE table_name = 'service_feedback'")
    assert {row["column_name"] for row in columns} == {"id", "service_id", "at", "helpful", "comment"}


def test_the_services_that_helped_least_come_first(http: httpx.Client, staff: Staff, portal: dict[str, str]) -> None:
    good, bad = staff.publish(), staff.publish()
    for service, helpful in ((good, True), (good, False), (bad, False), (bad, False)):
        give(http, service["slug"], portal, helpful, comment="Faltou o preço." if service is bad else None)
    listed = staff("GET", "/feedback", role=EDITOR).json()
    assert listed["services"] == [
        {
            "service_id": bad["id"],
            "nome_servico": bad["nome_servico"],
            "helpful": 0,
            "not_helpful": 2,
            "comments": 2,
        },
        {
            "service_id": good["id"],
            "nome_servico": good["nome_servico"],
            "helpful": 1,
            "not_helpful": 1,
            "comments": 0,
        },
    ]
    assert (
        staff("GET", "/feedback", params={"page": 2, "per_page": 1}).json()["services"][0]["service_id"] == good["id"]
    )
    staff("DELETE", f"/services/{bad['id']}")
    assert [each["service_id"] for each in staff("GET", "/feedback").json()["services"]] == [good["id"]]
    assert staff("GET", f"/services/{bad['id']}/feedback").status_code == 404


def test_only_published_pages_get_feedback(http: httpx.Client, staff: Staff, portal: dict[str, str]) -> None:
    draft, renamed = staff.create(), staff.publish()
    name = f"Outro {uuid4().hex[:8]}"
    assert staff("PUT", f"/services/{renamed['id']}", json=with_required(nome_servico=name)).status_code == 200
    assert give(http, renamed["slug"], portal).status_code == 204
    assert read(staff, renamed)["helpful"] == 1
    for slug in (draft["slug"], "nada", "a%00b"):
        assert give(http, slug, portal).status_code == 404
    assert read(staff, draft)["helpful"] == 0


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ({"comment": "x"}, "body-invalid"),
        ({"helpful": "sim"}, "body-invalid"),
        ({"helpful": True, "comment": "x" * 301}, "comment-length"),
        ({"helpful": True, "comment": "meu cpf é 900.000.001-75"}, "comment-personal"),
        ({"helpful": True, "comment": "escreva para ana@pessoa.example"}, "comment-personal"),
        ({"helpful": False, "comment": "ligue 21 99876-5432"}, "comment-personal"),
        ({"helpful": False, "comment": "a\u0000b"}, "comment-control"),
    ],
)
def test_what_may_not_be_kept_is_refused_and_not_counted(
    http: httpx.Client, staff: Staff, portal: dict[str, str], body: dict[str, Any], code: str
) -> None:
    service = staff.publish()
    answer = http.post(f"{BASE}/{service['slug']}/feedback", json=body, headers=portal)
    assert refusal(answer) == (400, code)
    found = read(staff, service)
    assert (found["helpful"], found["not_helpful"], found["found"]) == (0, 0, 0)


def test_a_flood_of_comments_is_bounded_and_answers_still_count(
    http: httpx.Client, staff: Staff, portal: dict[str, str], sql: Sql
) -> None:
    service = staff.publish()
    give(http, service["slug"], portal, comment="primeiro")
    sql("UPDATE search.service_feedback_days SET comments = $1", MOST_COMMENTS_A_DAY - 2)
    with ThreadPoolExecutor(6) as threads:
        codes = list(
            threads.map(
                lambda number: give(http, service["slug"], portal, comment=f"mais {number}").status_code, range(6)
            )
        )
    assert sorted(codes) == [204, 204, 429, 429, 429, 429]
    refused = give(http, service["slug"], portal, comment="mais um")
    assert refusal(refused) == (429, "feedback-full")
    assert refused.headers["Retry-After"]
    assert give(http, service["slug"], portal, helpful=False).status_code == 204
    found = read(staff, service)
    assert (found["helpful"], found["not_helpful"], found["found"]) == (3, 1, 3)
    sql("UPDATE search.service_feedback_days SET day = day - 1")
    assert give(http, service["slug"], portal, comment="outro dia").status_code == 204


def test_staff_delete_a_comment_and_the_counts_stay(http: httpx.Client, staff: Staff, portal: dict[str, str]) -> None:
    service, other = staff.publish(), staff.publish()
    give(http, service["slug"], portal, comment="A servidora Fulana foi grossa.")
    comment = read(staff, service)["comments"][0]["id"]
    for path in (
        f"{other['id']}/feedback/{comment}",
        f"{service['id']}/feedback/{uuid4()}",
        f"{service['id']}/feedback/x",
    ):
        assert refusal(staff("DELETE", f"/services/{path}")) == (404, "comment-unknown")
    assert staff("DELETE", f"/services/{service['id']}/feedback/{comment}", role=EDITOR).status_code == 204
    found = read(staff, service)
    assert (found["helpful"], found["found"]) == (1, 0)


def test_citizens_do_not_read_what_others_said(http: httpx.Client, issuer: Issuer, staff: Staff) -> None:
    service = staff.publish()
    for headers, status in (({}, 401), (bearer(issuer.person(ANA)), 403)):
        for path in ("feedback", f"services/{service['id']}/feedback"):
            assert http.get(f"/search/api/v1/admin/{path}", headers=headers).status_code == status


async def test_old_feedback_is_deleted(
    http: httpx.Client, staff: Staff, portal: dict[str, str], owner: asyncpg.Connection
) -> None:
    service = staff.publish()
    for comment in ("velho", "novo"):
        give(http, service["slug"], portal, comment=comment)
    days = KEPT_DAYS + 1
    aged = "UPDATE search.service_feedback SET at = now() - make_interval(days => $1) WHERE comment = 'velho'"
    await owner.execute(aged, days)
    await owner.execute(
        "INSERT INTO search.service_feedback_days"
        " SELECT service_id, day - $1::int, helpful, not_helpful, comments FROM search.service_feedback_days",
        days,
    )
    connection = cast(Connection, owner)
    assert await delete_old_comments(connection, KEPT_DAYS) == 1
    assert await delete_old_feedback_days(connection, KEPT_DAYS) == 1
    found = read(staff, service)
    assert ([each["comment"] for each in found["comments"]], found["helpful"]) == (["novo"], 2)
