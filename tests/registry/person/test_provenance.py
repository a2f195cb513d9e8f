"""The source of each value in a record, and the retention report (rules: registry 2.11, 4.15)."""

from typing import Any

import httpx
import pytest

from balcao.registry.person.citizens.imports import IMPORTS
from tests.registry.conftest import Own
from tests.registry.import_rows import load
from tests.registry.registry_client import RegistryClient, new_cpf
from tests.support.fixture_types import Sql
from tests.support.issuer import Issuer
from tests.support.refusals import refusal

CITY = {
    "nome": "Carla Nogueira",
    "nascimento": {"data": "1972-02-20"},
    "raca": "parda",
    "email": {"principal": {"valor": "antiga@pessoa.example"}, "alternativo": []},
    "endereco": {
        "principal": {"tipo_logradouro": "Rua", "logradouro": "das Marés", "numero": "12", "cep": "24000120"},
        "alternativo": [],
    },
}


@pytest.fixture
def carla(database_url: str) -> str:
    cpf = new_cpf()
    load(database_url, IMPORTS[0], {"cpf": cpf, "source": "receita", **CITY})
    return cpf


@pytest.fixture
def staff(http: httpx.Client, issuer: Issuer) -> RegistryClient:
    return RegistryClient(http, issuer.admin())


def read(who: RegistryClient, cpf: str, query: str = "") -> dict[str, dict[str, Any]]:
    answer = who.ok("GET", f"/citizen/{cpf}/provenance{query}", X_Access_Reason="Atendimento 7")
    return {value["name"]: value for value in answer["data"]}


@pytest.mark.cases("registry", "F7")
def test_each_value_has_its_origin_and_time(carla: str, staff: RegistryClient, own: Own) -> None:
    own(carla, email="nova@pessoa.example")
    found = read(staff, carla)
    assert (found["nome"]["value"], found["nome"]["origin"], found["nome"]["source"]) == (
        *("Carla Nogueira", "city", "receita"),
    )
    assert found["nascimento"]["value"] == "1972-02-20"
    assert found["endereco"]["value"] == "Rua das Marés, 12, 24000120"
    assert found["nome"]["updated_at"] is not None
    email = found["email"]
    assert (email["value"], email["origin"], email["source"]) == ("nova@pessoa.example", "citizen", None)
    assert email["covered"] == {"value": "antiga@pessoa.example", "source": "receita"}
    assert email["confirmed_at"] is None
    nothing = found["telefone"]
    assert (nothing["known"], nothing["value"], nothing["origin"], nothing["updated_at"]) == (False, None, None, None)


@pytest.mark.cases("registry", "F7")
def test_sensitive_values_come_when_asked_for_and_the_trail_says_so(
    carla: str, staff: RegistryClient, sql: Sql
) -> None:
    sql("DELETE FROM platform.audit_event")
    closed = read(staff, carla)
    assert (closed["raca"]["sensitive"], closed["raca"]["known"], closed["raca"]["value"]) == (True, True, None)
    assert read(staff, carla, "?sensitive=true")["raca"]["value"] == "parda"
    assert refusal(staff("GET", f"/citizen/{carla}/provenance?sensitive=sim")) == (400, "sensitive-invalid")
    trail = sql("SELECT fields FROM platform.audit_event ORDER BY at")
    assert [event["fields"] for event in trail] == [["citizen"], ["citizen", "citizen_sensitive"]]


def test_staff_learn_that_nobody_is_there_and_a_person_sees_their_own_emptiness(
    http: httpx.Client, issuer: Issuer, staff: RegistryClient
) -> None:
    unknown = new_cpf()
    assert refusal(staff("GET", f"/citizen/{unknown}/provenance")) == (404, "citizen-unknown")
    assert not any(value["known"] for value in read(RegistryClient(http, issuer.person(unknown)), unknown).values())


def test_the_retention_report_has_the_last_run_of_each_kind_and_counts_the_anonymised(
    staff: RegistryClient, sql: Sql
) -> None:
    sql(
        "INSERT INTO platform.retention_report (run, kind, at, checked, removed) VALUES "
        "(gen_random_uuid(), 'cards', now() - interval '40 days', 9, 4), "
        "(gen_random_uuid(), 'cards', now() - interval '2 days', 7, 2), "
        "(gen_random_uuid(), 'cards', now(), 5, 1)"
    )
    before = staff.ok("GET", "/admin/retention")["anonymised"]
    sql(
        "INSERT INTO registry.mirror_head (cpf, anonymised_at) VALUES ($1, now() - interval '2 days'), "
        "($2, now() - interval '60 days')",
        *(new_cpf(), new_cpf()),
    )
    report = staff.ok("GET", "/admin/retention")
    (cards,) = (kind for kind in report["data"] if kind["kind"] == "cards")
    assert (cards["checked"], cards["removed"], cards["removed_30d"]) == (5, 1, 3)
    rises = {name: report["anonymised"][name] - before[name] for name in before}
    assert rises == {"last_30d": 1, "last_year": 2, "total": 2}
