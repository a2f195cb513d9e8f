"""The number of round trips to PostgreSQL for a person's write or read, counted in the driver."""

from collections.abc import Callable, Iterator
from typing import Any

import httpx
import pytest

from balcao import app
from balcao.core.context.platform import assemble
from balcao.core.values.cpf import Cpf
from balcao.registry.person.phones.code import unseal_code
from balcao.settings import Settings
from tests.support.crm import RunningCrm, crm_settings
from tests.support.demo_people import CARLA
from tests.support.fixture_types import Sql
from tests.support.issuer import Issuer, bearer
from tests.support.sent_statements import Statements, recorded
from tests.support.server import RunningServer

CPF = Cpf.with_stem("937000001").digits
CONFIRMS = Cpf.with_stem("937000002").digits
OF_CRM = CARLA  # this person has an account in the CRM
AVATAR = "019a7f00-0000-7000-8000-000000000001"
PHONE = {"ddi": "55", "ddd": "21", "valor": "987654321"}
ADDRESS = {
    "cep": "20040002",
    "estado": "RJ",
    "municipio": "Cidade",
    "logradouro": "Rua da Praia",
    "numero": "10",
    "bairro": "Centro",
}
PET = {
    "animal_nome": "Siri",
    "especie_nome": "Gato",
    "sexo_sigla": "M",
    "nascimento_data": "2022-01-15",
    "indicador_castrado": False,
    "raca_nome": "",
    "porte_nome": "",
}
VEHICLE = {
    "display_name": "Bicicleta",
    "color": "Azul",
    "serial_number": "SN-12345",
    "serial_number_photo_url": "https://storage.googleapis.com/b/photo.jpg",
    "vehicle_photo_url": "https://storage.googleapis.com/b/photo.jpg",
    "has_invoice": False,
    "self_declaration": True,
    "brand_id": "brand_praia",
    "model_id": "model_praia_areia",
}
# Method, path under the citizen's path, body, additional headers, and the maximum number of round trips.
WRITES: list[tuple[str, str, Any, dict[str, str], int]] = [
    ("PUT", "gender", {"valor": "livre"}, {}, 1),
    ("PUT", "ethnicity", {"valor": "parda"}, {}, 1),
    ("PUT", "family-income", {"valor": "1 a 2 salários mínimos"}, {}, 1),
    ("PUT", "education", {"valor": "Mestrado"}, {}, 1),
    ("PUT", "disability", {"valor": "Visual"}, {}, 1),
    ("PUT", "exhibition-name", {"valor": "Lia"}, {}, 1),
    ("PUT", "email", {"valor": "lia@praia.example"}, {}, 3),
    ("PUT", "address", ADDRESS, {}, 3),
    ("PUT", "phone", PHONE, {}, 3),
    ("PUT", "firstlogin", {"firstlogin": False}, {}, 1),
    ("PUT", "avatar", {"avatar_id": AVATAR}, {}, 2),
    ("PUT", "optin", {"opt_in": False}, {}, 3),
    ("PUT", "notification-preferences", {"channel": "web", "category_opt_ins": {"events": False}}, {}, 3),
    ("PATCH", "notification-preferences/categories/health", {"channel": "web", "opt_in": False}, {}, 3),
    ("POST", "pets", PET, {}, 2),
    ("POST", "pets", PET, {"Idempotency-Key": "round-trips"}, 2),
]


@pytest.fixture(scope="module")
def settings(tmp_path_factory: pytest.TempPathFactory, issuer: Issuer) -> Iterator[Settings]:
    """Yield settings with a CRM, which also delivers the codes for phones."""
    with RunningCrm(crm_settings(tmp_path_factory.mktemp("crm"), auth_issuer=issuer.address)) as running:
        yield running.settings


@pytest.fixture(scope="module")
def statements() -> Iterator[Statements]:
    with recorded() as found:
        yield found


@pytest.fixture(scope="module")
def server(settings: Settings, database_url: str, statements: Statements) -> Iterator[RunningServer]:
    with RunningServer(app.build_application(settings, database_url)) as running:
        yield running


@pytest.fixture
def count(http: httpx.Client, issuer: Issuer, statements: Statements) -> Callable[..., list[str]]:
    """Return a function that makes a call as the citizen, and returns the statements that the server sent for it."""

    def call(
        method: str, path: str, body: Any = None, headers: dict[str, str] | None = None, cpf: str = CPF
    ) -> list[str]:
        token = bearer(issuer.person(cpf))
        Statements.settle(http)
        statements.texts.clear()
        answer = http.request(method, f"/registry/v1/citizen/{cpf}/{path}", json=body, headers=token | (headers or {}))
        assert answer.is_success, answer.text
        Statements.settle(http)
        return list(statements.texts)

    return call


@pytest.mark.parametrize(("method", "path", "body", "headers", "most"), WRITES)
def test_an_own_write_takes_few_round_trips(
    count: Callable[..., list[str]], method: str, path: str, body: Any, headers: dict[str, str], most: int
) -> None:
    sent = count(method, path, body, headers)
    assert len(sent) <= most, [text.split()[:12] for text in sent]


@pytest.fixture
def register(
    http: httpx.Client, issuer: Issuer, sql: Sql, count: Callable[..., list[str]]
) -> Callable[..., tuple[str, list[str]]]:
    """Return a function that registers a vehicle, and returns its id and the statements that the server sent."""
    sql(
        "INSERT INTO registry.vehicle_brand (id, name, name_key) VALUES ('brand_praia', 'Praia', 'praia') "
        "ON CONFLICT DO NOTHING"
    )
    sql(
        "INSERT INTO registry.vehicle_model (id, brand_id, name, name_key, vehicle_type) "
        "VALUES ('model_praia_areia', 'brand_praia', 'Areia', 'areia', 'ciclomotor') ON CONFLICT DO NOTHING"
    )

    def make(**headers: str) -> tuple[str, list[str]]:
        sent = count("POST", "vehicles", VEHICLE, headers)
        (newest,) = sql(
            "SELECT id::text FROM registry.vehicle WHERE owner_cpf = $1 ORDER BY created_at DESC LIMIT 1", CPF
        )
        return newest["id"], sent

    return make


def test_writes_of_a_vehicle_take_at_most_three_round_trips(
    http: httpx.Client,
    issuer: Issuer,
    count: Callable[..., list[str]],
    register: Callable[..., tuple[str, list[str]]],
) -> None:
    _, sent = register()
    assert len(sent) == 2
    id_, sent = register(**{"Idempotency-Key": "round-trips of a vehicle"})
    assert len(sent) == 3
    vehicle = f"vehicles/{id_}"
    assert len(count("PATCH", vehicle, {"color": "Verde"})) == 3
    read = http.get(f"/registry/v1/citizen/{CPF}/{vehicle}", headers=bearer(issuer.person(CPF)))
    Statements.settle(http)
    as_read = {"If-Match": read.headers["ETag"]}
    assert len(count("PATCH", vehicle, {"brand_id": "brand_praia", "display_name": "Nova"}, as_read)) == 3
    assert len(count("DELETE", vehicle)) == 2


def test_writes_of_a_driver_link_take_at_most_three_round_trips(
    count: Callable[..., list[str]], register: Callable[..., tuple[str, list[str]]], sql: Sql
) -> None:
    id_, _ = register()
    conductors = f"vehicles/{id_}/conductors"
    body = {"cpf": Cpf.with_stem("937000002").digits, "email": "davi@pessoa.example"}
    assert len(count("POST", conductors, body)) == 2
    body["cpf"] = Cpf.with_stem("937000003").digits
    assert len(count("POST", conductors, body, {"Idempotency-Key": "round-trips of a link"})) == 3
    for link in sql("SELECT id::text FROM registry.vehicle_conductor WHERE vehicle_id = $1", id_):
        assert len(count("DELETE", f"{conductors}/{link['id']}")) == 3


def test_an_answer_to_an_invitation_takes_two_round_trips(
    count: Callable[..., list[str]], register: Callable[..., tuple[str, list[str]]], sql: Sql
) -> None:
    id_, _ = register()
    (link,) = sql(
        "INSERT INTO registry.vehicle_conductor (id, vehicle_id, conductor_cpf, notify_email, invited_by_cpf) "
        "VALUES (gen_random_uuid(), $1, $2, 'lia@praia.example', $3) RETURNING id::text",
        id_,
        CPF,
        Cpf.with_stem("937000002").digits,
    )
    assert len(count("PATCH", f"vehicle-invitations/{link['id']}", {"status": "accepted"})) == 2


def test_a_consent_that_the_crm_has_taken_is_written_in_one_round_trip(
    http: httpx.Client, issuer: Issuer, statements: Statements
) -> None:
    Statements.settle(http)
    statements.texts.clear()
    answer = http.patch(
        f"/registry/v1/crm/cidadao/{OF_CRM}/consentimento",
        json={"categoria": "saude", "canal": "email", "acao": "optin"},
        headers=bearer(issuer.person(OF_CRM)),
    )
    assert answer.is_success, answer.text
    Statements.settle(http)
    assert len(statements.texts) == 1


def test_a_confirmation_takes_two_round_trips(
    count: Callable[..., list[str]], sql: Sql, settings: Settings, database_url: str
) -> None:
    phone = PHONE | {"valor": "987654322"}  # another number, because a number gets one code a minute
    count("PUT", "phone", phone, cpf=CONFIRMS)
    (held,) = sql("SELECT id::text, sealed_code FROM registry.phone_verification WHERE cpf = $1", CONFIRMS)
    code = unseal_code(assemble(settings, database_url).audit.keys, held["sealed_code"])
    assert len(count("POST", "phone/validate", phone | {"code": code}, cpf=CONFIRMS)) == 2


def test_an_own_read_of_the_preferences_is_one_statement_without_a_transaction(
    count: Callable[..., list[str]],
) -> None:
    assert len(count("GET", "notification-preferences")) == 1
