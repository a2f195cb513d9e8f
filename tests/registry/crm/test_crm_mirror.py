"""The mirror in the API: `effective` must agree with the citizen record (rules: registry 2.9)."""

from collections.abc import Callable
from typing import Any

import httpx
import pytest

from tests.support.body_shapes import INSTANT, differences
from tests.support.demo_people import KATIA
from tests.support.fixture_types import Sql
from tests.support.issuer import Issuer, bearer
from tests.support.refusals import refusal

ANA, BRUNO, CARLA, DAVI, ELISA, FABIO = (
    "90000000175",
    "90000000256",
    "90000000337",
    "90000000418",
    "90000000507",
    "90000000680",
)
UNKNOWN = KATIA


@pytest.fixture
def mirror(http: httpx.Client, issuer: Issuer) -> Callable[[str], dict[str, Any]]:
    def read(cpf: str) -> dict[str, Any]:
        answer = http.get(f"/registry/v1/citizen/{cpf}/crm-mirror", headers=bearer(issuer.person(cpf)))
        assert (answer.status_code, answer.headers["Cache-Control"]) == (200, "no-store, private")
        found: dict[str, Any] = answer.json()
        return found

    return read


@pytest.fixture
def crm(http: httpx.Client, issuer: Issuer, drain: Callable[[], None]) -> Callable[..., None]:
    """Return a function that sends an event dated at that hour, and applies it."""

    def send(cpf: str, hour: int, dados: dict[str, Any] | None = None, **more: Any) -> None:
        body = {"cpf": cpf, "updatedAt": f"2026-07-01T{hour:02}:00:00Z", "dados": dados} | more
        headers = bearer(issuer.machine("crm-sandbox"))
        assert http.post("/registry/v1/webhooks/crm/cidadao", json=body, headers=headers).status_code == 202
        drain()

    return send


def effective(found: dict[str, Any]) -> set[str]:
    return {field["name"] for field in found["fields"] if field["effective"]}


def test_of_an_unknown_citizen_there_is_nothing(mirror: Callable[[str], dict[str, Any]]) -> None:
    assert mirror(UNKNOWN) == {
        "cpf": UNKNOWN,
        "anonymised_at": None,
        "consents_cleared_at": None,
        "fields": [],
        "crm_consentimentos": [],
    }


def test_fields_and_consents_stand_with_time_and_origin(
    mirror: Callable[[str], dict[str, Any]], crm: Callable[..., None], http: httpx.Client, issuer: Issuer
) -> None:
    consents = [
        {"categoria": "b.$", "status": "OUT", "motivo": "m"},
        {"categoria": "a", "canal": "sms", "status": "IN", "finalidade": "f", "data": "2026-06-30"},
    ]
    crm(ANA, 10, {"idioma": ["pt"], "isTourist": False, "email": None, "consentimento": consents})
    put = {"valor": "Agênero"}
    http.put(f"/registry/v1/citizen/{ANA}/gender", json=put, headers=bearer(issuer.person(ANA)))
    found = mirror(ANA)
    gender = found["fields"][1]
    assert differences(gender["updated_at"], INSTANT) == []
    assert gender | {"updated_at": ""} == {
        "name": "genero",
        "value": "Outro_Prefere_nao_informar",
        "updated_at": "",
        "origin": "citizen",
        "confirmed_at": None,
        "effective": True,
    }
    at = "2026-07-01T10:00:00Z"
    rest = [("email", None), ("idioma", ["pt"]), ("isTourist", False)]
    assert [field for field in found["fields"] if field["name"] != "genero"] == [
        {"name": name, "value": value, "updated_at": at, "origin": "crm", "confirmed_at": None, "effective": False}
        for name, value in rest
    ]
    assert found["crm_consentimentos"] == [
        {
            "categoria": "a",
            "canal": "sms",
            "status": "IN",
            "data": "2026-06-30",
            "finalidade": "f",
            "motivo": None,
            "updated_at": at,
        },
        {
            "categoria": "b.$",
            "canal": "",
            "status": "OUT",
            "data": None,
            "finalidade": None,
            "motivo": "m",
            "updated_at": at,
        },
    ]
    crm(ANA, 11, {"consentimento": None})
    assert (mirror(ANA)["consents_cleared_at"], mirror(ANA)["crm_consentimentos"]) == ("2026-07-01T11:00:00Z", [])
    crm(ANA, 12, evento="anonimizacao")
    found = mirror(ANA)
    assert (found["anonymised_at"], found["consents_cleared_at"]) == ("2026-07-01T12:00:00Z", None)
    assert effective(found) == {"genero"}


# Each step builds on the previous steps of the same citizen.
STEPS = [
    (BRUNO, {"cidade": "Maricá", "endereco": {"estado": "RJ", "pais": "Brasil"}}, set()),
    (BRUNO, {"endereco": {"bairro": "Farol"}}, {"cidade", "endereco.estado", "endereco.bairro"}),
    (BRUNO, {"endereco": {"cidade": "Niterói"}}, {"endereco.cidade", "endereco.estado", "endereco.bairro"}),
    (BRUNO, {"endereco": {"cidade": None}}, {"endereco.estado", "endereco.bairro"}),
    (
        BRUNO,
        {"endereco": ""},
        {f"endereco.{part}" for part in "bairro cep cidade complemento estado logradouro".split()},
    ),
    (BRUNO, {"endereco": None}, set()),
    (CARLA, {"telefone1": "5521977776666", "telefonePrincipal": "5521977775555"}, {"telefone1"}),
    (CARLA, {"telefonePrincipal": "5521977774444"}, {"telefonePrincipal"}),
    (CARLA, {"telefone1": "abc"}, set()),
    (CARLA, {"telefone1": ""}, {"telefone1"}),
    (CARLA, {"telefone2": "5521977773333", "telefone3": ""}, {"telefone1", "telefone2"}),
    (CARLA, {"telefone1": None}, {"telefone2"}),
    (DAVI, {"email": "", "raca": "Parda", "nomeExibicao": "D"}, {"email", "raca", "nomeExibicao"}),
    (DAVI, {"email": None, "escolaridade": "x", "nacionalidade": "y"}, {"raca", "nomeExibicao", "escolaridade"}),
]


@pytest.mark.long
def test_effective_is_what_the_record_shows(mirror: Callable[[str], dict[str, Any]], crm: Callable[..., None]) -> None:
    for hour, (cpf, dados, wanted) in enumerate(STEPS):
        crm(cpf, hour, dados)
        assert effective(mirror(cpf)) == wanted, dados


def test_every_effective_field_and_no_other_shows_in_the_record(
    mirror: Callable[[str], dict[str, Any]], crm: Callable[..., None], http: httpx.Client, issuer: Issuer
) -> None:
    """Every value is unique, so a value is in the record if and only if the mirror reports its field as effective."""
    texts = "cidade complemento deficiencia email escolaridade nomeExibicao raca rendaFamiliar passaporte canalOrigem"
    dados: dict[str, Any] = {key: f"{key} x" for key in texts.split()}
    dados |= {f"telefone{number}": f"552197777000{number}" for number in (1, 2, 3)}
    dados["telefonePrincipal"] = "5521977770004"
    dados["endereco"] = {part: f"{part} y" for part in "bairro cep cidade complemento estado logradouro pais".split()}
    crm(ELISA, 10, dados)
    record = http.get(f"/registry/v1/citizen/{ELISA}", headers=bearer(issuer.person(ELISA))).text
    for field in mirror(ELISA)["fields"]:
        value = field["value"][4:] if field["name"].startswith("telefone") else field["value"]
        assert (f'"{value}"' in record) == field["effective"], field["name"]


def test_who_may_and_that_a_look_is_recorded(http: httpx.Client, issuer: Issuer, sql: Sql) -> None:
    url = f"/registry/v1/citizen/{FABIO}/crm-mirror"
    statuses = [
        http.get(url, headers=bearer(token)).status_code
        for token in (issuer.person(ANA), issuer.machine("crm-sandbox"), issuer.admin())
    ]
    assert statuses == [403, 403, 200]
    count = "SELECT count(*) FROM platform.audit_event WHERE operation = 'registry.read_crm_mirror' AND action = 'read'"
    assert sql(count)[0][0] == 1
    malformed = "/registry/v1/citizen/123/crm-mirror"
    assert refusal(http.get(malformed, headers=bearer(issuer.admin()))) == (400, "cpf-invalid")
    etag = http.get(url, headers=bearer(issuer.person(FABIO))).headers["ETag"]
    again = http.get(url, headers=bearer(issuer.person(FABIO)) | {"If-None-Match": etag})
    assert again.status_code == 304
