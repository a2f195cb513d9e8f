"""The terms of use and the introduction (rules: employability 2.8)."""

import httpx

from tests.employability.people import citizen, machine, staff
from tests.support.demo_people import BRUNO
from tests.support.fixture_types import Sql
from tests.support.issuer import Issuer
from tests.support.refusals import refusal

BASE = "/jobs/api/v1/empregabilidade"
CARLA, MASKED = "90000000337", "***.000.003-**"


def test_terms_are_accepted_once_for_their_version(http: httpx.Client, issuer: Issuer, sql: Sql) -> None:
    path, own = f"{BASE}/termos-uso/{CARLA}", citizen(issuer, CARLA)
    sql("DELETE FROM employability.terms_acceptance")
    assert http.get(path, headers=own).json() == {"has_accepted": False}
    assert refusal(http.get(f"{path}/details", headers=own)) == (404, "terms-not-accepted")
    assert [http.put(f"{path}/accept", headers=own).status_code for _ in range(2)] == [200, 200]
    details = http.get(f"{path}/details", headers=own).json()
    assert set(details) == {"cpf", "user_consent", "aceito_em", "created_at", "updated_at"}
    assert (details["cpf"], details["user_consent"], details["aceito_em"] <= details["created_at"]) == (
        CARLA,
        True,
        True,
    )
    assert http.get(path, headers=own).json() == {"has_accepted": True}
    sql("UPDATE employability.terms_acceptance SET version = 'earlier'")
    assert http.get(path, headers=own).json() == {"has_accepted": False}
    assert http.get(f"{path}/details", headers=staff(issuer, "admin")).json()["cpf"] == MASKED
    for caller in (citizen(issuer, BRUNO), staff(issuer, "admin"), machine(issuer)):
        assert http.put(f"{path}/accept", headers=caller).status_code == 403


def test_the_introduction_is_shown_until_it_was_completed(http: httpx.Client, issuer: Issuer, sql: Sql) -> None:
    path, own = f"{BASE}/onboarding/{CARLA}", citizen(issuer, CARLA)
    sql("DELETE FROM employability.onboarding")
    assert http.get(path, headers=own).json() == {"is_first_login": True}
    assert [http.put(f"{path}/complete", headers=own).status_code for _ in range(2)] == [200, 200]
    assert http.get(path, headers=own).json() == {"is_first_login": False}
    assert http.get(path, headers=citizen(issuer, BRUNO)).status_code == 403
    assert http.put(f"{path}/complete", headers=staff(issuer, "admin")).status_code == 403
