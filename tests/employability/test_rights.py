"""A person's rights to their data in the employability service (rules: employability 2.11, 5.4)."""

from collections.abc import Callable
from typing import Any

import httpx
import pytest

from balcao.employability import SERVICE
from tests.employability.people import citizen, staff
from tests.support.demo_people import ANA, BRUNO
from tests.support.fixture_types import Sql
from tests.support.issuer import Issuer

BASE = "/jobs/api/v1/empregabilidade"
RESUME, TERMS = f"{BASE}/curriculo", f"{BASE}/termos-uso"
MEMBERS = {member.name for declared in SERVICE.personal_data for member in declared.members}
Events = Callable[[str], list[dict[str, Any]]]


@pytest.fixture
def ana(http: httpx.Client, issuer: Issuer) -> dict[str, str]:
    """Return the headers of Ana, who has a skill, accepted the terms and completed the introduction."""
    headers = citizen(issuer)
    http.post(f"{RESUME}/habilidades", json={"id_habilidade": 1}, headers=headers).raise_for_status()
    http.put(f"{TERMS}/{ANA}/accept", headers=headers).raise_for_status()
    http.put(f"{BASE}/onboarding/{ANA}/complete", headers=headers).raise_for_status()
    return headers


def test_the_file_holds_what_every_feature_declares_and_is_recorded(
    http: httpx.Client, ana: dict[str, str], events: Events
) -> None:
    answer = http.get(f"{RESUME}/{ANA}/exportacao", headers=ana)
    assert "attachment" in answer.headers["Content-Disposition"]
    file = answer.json()
    assert set(file) == {"exportado_em", *MEMBERS}
    assert file["curriculo"]["area_atuacao_habilidade"][0]["cpf"] == ANA
    assert file["termos_vagas"] is not None
    [event] = events("employability.export_data")
    assert (event["action"], event["actor_kind"], set(event["fields"])) == ("export", "owner", MEMBERS)


def test_an_erasure_leaves_nothing_of_the_person_and_all_of_others(
    http: httpx.Client, issuer: Issuer, ana: dict[str, str], sql: Sql, events: Events
) -> None:
    other = citizen(issuer, BRUNO)
    http.put(f"{TERMS}/{BRUNO}/accept", headers=other).raise_for_status()
    http.post(
        f"{RESUME}/habilidades", json={"id_habilidade": 2}, headers=ana | {"Idempotency-Key": "x"}
    ).raise_for_status()
    for _ in range(2):
        gone = http.delete(f"{RESUME}/{ANA}", headers=ana)
        assert (gone.status_code, list(gone.json())) == (200, ["message"])
    tables = {table for declared in SERVICE.personal_data for table in declared.tables}
    assert {table for table in tables if sql(f"SELECT FROM {table} WHERE cpf = $1", ANA)} == set()
    assert sql("SELECT FROM platform.idempotent_answer WHERE cpf = $1", ANA) == []
    assert http.get(f"{TERMS}/{BRUNO}", headers=other).json() == {"has_accepted": True}
    first, second = events("employability.erase_data")
    assert {"terms.termos_uso", "onboarding.onboarding"} <= set(first["fields"])
    assert (first["action"], second["fields"]) == ("delete", [])


def test_terms_are_revoked_once_and_may_be_accepted_again(
    http: httpx.Client, ana: dict[str, str], events: Events
) -> None:
    first, second = (http.delete(f"{TERMS}/{ANA}", headers=ana) for _ in range(2))
    assert [answer.status_code for answer in (first, second)] == [200, 404]
    assert http.get(f"{TERMS}/{ANA}", headers=ana).json() == {"has_accepted": False}
    http.put(f"{TERMS}/{ANA}/accept", headers=ana).raise_for_status()
    assert http.get(f"{TERMS}/{ANA}", headers=ana).json() == {"has_accepted": True}
    assert [event["action"] for event in events("employability.revoke_terms")] == ["delete"]


@pytest.mark.parametrize(
    ("method", "path"),
    [("GET", f"{RESUME}/{ANA}/exportacao"), ("DELETE", f"{RESUME}/{ANA}"), ("DELETE", f"{TERMS}/{ANA}")],
)
def test_nobody_else_does_it_not_even_staff(http: httpx.Client, issuer: Issuer, method: str, path: str) -> None:
    statuses = [
        http.request(method, path, headers=caller).status_code
        for caller in (citizen(issuer, BRUNO), staff(issuer, "admin"), {})
    ]
    assert statuses == [403, 403, 401]
