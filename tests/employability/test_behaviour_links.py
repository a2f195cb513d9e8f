"""The behaviours listed in a resume."""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx
import pytest

from balcao.core.context.call import operator_call
from balcao.core.context.platform import Platform
from balcao.core.errors import Invalid
from balcao.core.values.cpf import Cpf
from balcao.employability.resume.links import service
from balcao.employability.resume.links.kinds import BEHAVIOUR_LINKING, BEHAVIOURS
from balcao.employability.resume.links.schemas import BehaviourLinkBody
from tests.employability.people import citizen, expired, machine, staff
from tests.support.demo_people import ANA, BRUNO
from tests.support.fixture_types import Sql
from tests.support.issuer import Issuer
from tests.support.refusals import refusal
from tests.support.rules import read_values

PATH = "/jobs/api/v1/empregabilidade/curriculo/comportamentos-atitudes/"
OPERATION = "employability.remove_behaviour_link"
LARGEST = 2**63 - 1


@pytest.fixture
def link(sql: Sql) -> int:
    """Link a behaviour to Ana's resume, and return the link's id."""
    sql("INSERT INTO employability.resume (cpf) VALUES ($1) ON CONFLICT DO NOTHING", ANA)
    sql("DELETE FROM employability.behaviour_link WHERE cpf = $1", ANA)
    [row] = sql(
        "INSERT INTO employability.behaviour_link (cpf, id_comportamento_atitudes) VALUES ($1, 4) RETURNING id",
        ANA,
    )
    found: int = row["id"]
    return found


def links(sql: Sql) -> list[int]:
    return [row["id"] for row in sql("SELECT id FROM employability.behaviour_link ORDER BY id")]


@pytest.mark.cases("employability", "10")
def test_the_own_link_goes_once_and_the_catalogue_stays(
    http: httpx.Client, issuer: Issuer, sql: Sql, link: int
) -> None:
    first, second = [http.delete(f"{PATH}{link}", headers=citizen(issuer)) for _ in range(2)]
    assert (first.status_code, list(first.json())) == (200, ["message"])
    assert isinstance(first.json()["message"], str)
    assert (refusal(second), list(second.json())) == ((404, "link-unknown"), ["error"])
    assert link not in links(sql)
    assert len(sql("SELECT FROM employability.behaviour")) == 8


@pytest.mark.cases("employability", "11")
def test_neither_the_entrys_id_nor_another_citizen_removes_it(
    http: httpx.Client, issuer: Issuer, sql: Sql, link: int
) -> None:
    before = links(sql)
    answers = [
        http.delete(f"{PATH}4", headers=citizen(issuer)),
        http.delete(f"{PATH}{link}", headers=citizen(issuer, BRUNO)),
        http.delete(f"{PATH}{link}", headers=staff(issuer, "admin")),
        http.delete(f"{PATH}0", headers=citizen(issuer)),
        http.delete(f"{PATH}{LARGEST}", headers=citizen(issuer)),
    ]
    assert [refusal(answer) for answer in answers] == [(404, "link-unknown")] * 5
    assert len({answer.content for answer in answers}) == 1
    assert links(sql) == before


@pytest.mark.cases("employability", "12")
@pytest.mark.parametrize("id_", read_values("employability", "12"))
def test_what_is_no_integer_is_refused(http: httpx.Client, issuer: Issuer, id_: str) -> None:
    answer = http.delete(PATH + id_, headers=citizen(issuer))
    assert (refusal(answer), list(answer.json())) == ((400, "id-invalid"), ["error"])


@pytest.mark.cases("employability", "12")
@pytest.mark.parametrize("id_", ["1", "x"])
def test_a_token_without_cpf_identifies_nobody(http: httpx.Client, issuer: Issuer, id_: str) -> None:
    for caller in (machine(issuer), machine(issuer, "admin"), expired(issuer), {}):
        answer = http.delete(PATH + id_, headers=caller)
        assert (answer.status_code, list(answer.json())) == (401, ["error"])


def test_leading_zeros_are_the_same_number(http: httpx.Client, issuer: Issuer, link: int) -> None:
    assert http.delete(f"{PATH}00{link}", headers=citizen(issuer)).status_code == 200


def test_a_removal_leaves_one_event_of_the_owners(
    http: httpx.Client, issuer: Issuer, link: int, events: Callable[[str], list[dict[str, Any]]]
) -> None:
    before = len(events(OPERATION))
    for _ in range(2):
        http.delete(f"{PATH}{link}", headers=citizen(issuer))
    [event] = events(OPERATION)[before:]
    assert (event["action"], event["actor_kind"], event["grant"]) == ("delete", "owner", "self")
    assert event["subject_hash"] == event["actor_hash"] is not None
    assert event["fields"] == ["comportamento_atitudes"]
    assert ANA not in str(event)


def test_without_an_audit_event_the_link_stays(
    http: httpx.Client, issuer: Issuer, sql: Sql, link: int, unwritable_audit: None
) -> None:
    answer = http.delete(f"{PATH}{link}", headers=citizen(issuer))
    assert (answer.status_code, list(answer.json())) == (503, ["error"])
    assert link in links(sql)


def test_of_many_removals_at_once_one_succeeds(http: httpx.Client, issuer: Issuer, link: int) -> None:
    caller = citizen(issuer)
    with ThreadPoolExecutor(4) as together:
        calls = [together.submit(http.delete, f"{PATH}{link}", headers=caller) for _ in range(4)]
    assert sorted(call.result().status_code for call in calls) == [200, 404, 404, 404]


async def test_linking_an_entry_again_answers_the_link_that_is_there(platform: Platform) -> None:
    call, owner = operator_call(platform, "test.link"), Cpf(BRUNO)
    for entry in (6, 3, 7):
        added = await asyncio.gather(
            *(service.add_link(call, BEHAVIOUR_LINKING, owner, BehaviourLinkBody(entry)) for _ in range(6))
        )
        assert sorted(new for _, new in added) == [False] * 5 + [True]
        assert len({link.id for link, _ in added}) == 1
    names = [link.comportamento_atitudes.nome for link in await service.read_links(call, BEHAVIOURS, owner)]
    assert names == ["Empatia", "Liderança", "Responsabilidade"]
    with pytest.raises(Invalid) as refused:
        await service.add_link(call, BEHAVIOUR_LINKING, owner, BehaviourLinkBody(999))
    assert refused.value.code == "behaviour-unknown"


def test_a_resume_has_at_most_fifty_behaviours(http: httpx.Client, issuer: Issuer, sql: Sql, link: int) -> None:
    added = sql(
        """INSERT INTO employability.behaviour (nome) SELECT 'Mais ' || number FROM generate_series(1, 50) AS number
           RETURNING id"""
    )
    more, *rest = (row["id"] for row in added)
    try:
        sql(
            """INSERT INTO employability.behaviour_link (cpf, id_comportamento_atitudes)
               SELECT $1, unnest($2::bigint[])""",
            ANA,
            rest,
        )
        answer = http.post(PATH.rstrip("/"), json={"id_comportamento_atitudes": more}, headers=citizen(issuer))
        assert refusal(answer) == (409, "behaviour-limit")
        assert http.delete(f"{PATH}{link}", headers=citizen(issuer)).status_code == 200
        again = http.post(PATH.rstrip("/"), json={"id_comportamento_atitudes": more}, headers=citizen(issuer))
        assert again.status_code == 201
    finally:
        sql("DELETE FROM employability.behaviour_link WHERE cpf = $1", ANA)
        sql("DELETE FROM employability.behaviour WHERE id = ANY($1)", [more, *rest])
