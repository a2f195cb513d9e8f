"""Notification preferences (registry document, cases P1 and A2)."""

import httpx

from tests.support.issuer import Issuer, bearer

ANA = "90000000175"
BRUNO = "90000000256"


def path(cpf: str) -> str:
    return f"/registry/v1/citizen/{cpf}/notification-preferences"


def test_without_a_choice_the_defaults_show_and_reading_stores_nothing(http: httpx.Client, issuer: Issuer, sql) -> None:
    first = http.get(path(ANA), headers=bearer(issuer.person(ANA)))
    second = http.get(path(ANA), headers=bearer(issuer.person(ANA)))
    assert first.status_code == 200
    assert first.json() == second.json()
    assert first.json()["category_opt_ins"] == {
        "events": True,
        "services": True,
        "alerts": True,
        "mei_opportunities": False,
        "courses": False,
        "health": True,
    }
    assert set(first.json()) == {"cpf", "opt_in", "category_opt_ins", "updated_at"}
    assert sql("SELECT FROM registry.preferences") == []


def test_another_citizens_preferences_are_forbidden_whether_they_exist_or_not(
    http: httpx.Client, issuer: Issuer
) -> None:
    answers = [http.get(path(cpf), headers=bearer(issuer.person(ANA))) for cpf in (BRUNO, "90000009999", "123")]
    assert [answer.status_code for answer in answers] == [403, 403, 403]
    assert len({answer.text for answer in answers}) == 1


def test_the_same_state_is_not_sent_twice(http: httpx.Client, issuer: Issuer) -> None:
    token = bearer(issuer.person(ANA))
    etag = http.get(path(ANA), headers=token).headers["ETag"]
    again = http.get(path(ANA), headers=token | {"If-None-Match": etag})
    assert (again.status_code, again.content) == (304, b"")
