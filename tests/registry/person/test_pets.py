"""Tests for pets (rules: registry 2.6, 3.7)."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import httpx
import msgspec
import pytest

from balcao.core.context.platform import Platform
from balcao.core.values.cpf import Cpf
from balcao.registry.person.pets.api import PERSONAL_DATA
from balcao.registry.person.pets.imports import IMPORTS
from balcao.registry.person.pets.service import MOST_OWN
from tests.registry.import_rows import load
from tests.support.fixture_types import Ask, Sql
from tests.support.issuer import Issuer, bearer
from tests.support.refusals import refusal

FABIO, ANA = "90000000680", "90000000175"
FABIO_MASKED = "***.000.006-**"
GOOD = {
    "animal_nome": "Siri",
    "especie_nome": "Gato",
    "sexo_sigla": "M",
    "nascimento_data": "2022-01-15",
    "indicador_castrado": False,
    "raca_nome": "",
    "porte_nome": "",
}
MEMBERS = {
    "id_animal", "animal_nome", "especie_nome", "raca_nome", "porte_nome", "sexo_sigla", "nascimento_data",
    "indicador_castrado", "indicador_ativo", "microchip_numero", "pedigree_indicador", "pedigree_origem_nome",
    "fase_vida_nome", "foto_url", "qrcode_payload", "registro_data", "antirrabica_data", "antirrabica_validade_data",
    "vermifugacao_data", "vermifugacao_validade_data", "clinica_credenciada", "outros_tutores", "indicador", "source",
}  # fmt: skip


def line(id_animal: int, especie: str | None, **members: Any) -> dict[str, Any]:
    return {"cpf": FABIO, "id_animal": id_animal, "animal_nome": f"Pet {id_animal}", "especie_nome": especie} | members


LINES = [
    line(20, "CÃO"),
    line(
        3,
        "Cachorro",
        nascimento_data="2019-06-20",
        registro_data="2021-02-11T12:00:00-03:00",
        clinica_credenciada={"nome": "Clínica"},
        outros_tutores=[{"cpf": ANA, "nome": "Outra pessoa"}],
    ),
    line(5, "Felina"),
    line(6, "Papagaio"),
    line(7, None),
]


def path(cpf: str = FABIO) -> str:
    return f"/registry/v1/citizen/{cpf}/pets"


@pytest.fixture(autouse=True)
def _pets(database_url: str, sql: Sql) -> None:
    sql("DELETE FROM registry.own_pet")
    sql("DELETE FROM registry.loaded_pet")
    assert load(database_url, IMPORTS[0], *LINES) == len(LINES)


@pytest.fixture
def owner(issuer: Issuer) -> dict[str, str]:
    return bearer(issuer.person(FABIO))


@pytest.fixture
def add(http: httpx.Client, owner: dict[str, str]) -> Callable[..., httpx.Response]:
    def call(headers: dict[str, str] | None = None, **changes: Any) -> httpx.Response:
        body = {name: value for name, value in (GOOD | changes).items() if value is not ...}
        return http.post(path(), json=body, headers=owner | (headers or {}))

    return call


@pytest.mark.cases("registry", "G8")
def test_a_pet_without_breed_and_size_is_created_and_shown(http: httpx.Client, owner: dict[str, str], add: Ask) -> None:
    answer = add()
    assert answer.status_code == 201
    pet = answer.json()
    assert set(pet) == MEMBERS
    assert pet["id_animal"] >= 1_000_000
    assert {name: pet[name] for name in GOOD} == GOOD | {"nascimento_data": "2022-01-15T00:00:00-03:00"}
    assert (pet["source"], pet["indicador_ativo"], pet["outros_tutores"]) == ("self_registered", True, [])
    assert pet["registro_data"].endswith("Z")
    read = http.get(f"{path()}/{pet['id_animal']}", headers=owner)
    assert (read.status_code, read.json()) == (200, pet)
    assert read.headers["Cache-Control"] == "no-store, private"
    again = http.get(f"{path()}/{pet['id_animal']}", headers=owner | {"If-None-Match": read.headers["ETag"]})
    assert (again.status_code, again.content) == (304, b"")


def test_the_pedigree_of_an_own_pet_is_kept(http: httpx.Client, owner: dict[str, str], add: Ask) -> None:
    pedigree = {"pedigree_indicador": True, "pedigree_origem_nome": "Clube de cinofilia"}
    pet = add(**pedigree).json()
    assert {name: pet[name] for name in pedigree} == pedigree
    assert http.get(f"{path()}/{pet['id_animal']}", headers=owner).json() == pet
    for wrong in ({"pedigree_indicador": "sim"}, {"pedigree_origem_nome": "x" * 101}):
        refused = add(**wrong)
        assert (refused.status_code, refused.json()["error"]) == (400, refused.json()["message"])


def now(**shift: int) -> datetime:
    return datetime.now(UTC) + timedelta(**shift)


@pytest.mark.parametrize(
    ("changes", "shown"),
    [
        ({"animal_nome": "  Canjica\tda Silva "}, {"animal_nome": "Canjica da Silva"}),
        ({"animal_nome": "é" * 100, "raca_nome": "x" * 100}, {"animal_nome": "é" * 100, "raca_nome": "x" * 100}),
        ({"nascimento_data": "2022-01-15T12:00:00-03:00"}, {"nascimento_data": "2022-01-15T15:00:00Z"}),
        ({"nascimento_data": "2022-01-15T12:00:00.5Z"}, {"nascimento_data": "2022-01-15T12:00:00.500000Z"}),
        ({"nascimento_data": "1970-01-01"}, {"nascimento_data": "1970-01-01T00:00:00-03:00"}),
        ({"microchip_numero": "9" * 30}, {"microchip_numero": "9" * 30}),
        ({"microchip_numero": "", "foto_url": ""}, {"microchip_numero": None, "foto_url": None}),
        ({"foto_url": None}, {"foto_url": None}),
        ({"foto_url": "https://fotos.example/a.png"}, {"foto_url": "https://fotos.example/a.png"}),
        ({"id_animal": 7, "source": "curated", "cpf": ANA}, {"source": "self_registered"}),
    ],
    ids=range(10),
)
def test_what_is_sent_is_what_is_shown(add: Ask, changes: dict[str, Any], shown: dict[str, Any]) -> None:
    answer = add(**changes)
    assert answer.status_code == 201
    assert {name: answer.json()[name] for name in shown} == shown


def test_born_today_is_not_in_the_future(add: Ask) -> None:
    today = datetime.now(ZoneInfo("America/Sao_Paulo")).date().isoformat()
    assert add(nascimento_data=today).status_code == 201
    for future in (now(days=2).date().isoformat(), now(minutes=10).isoformat()):
        assert refusal(add(nascimento_data=future)) == (400, "nascimento_data-range")


NAMES = ("animal_nome", "especie_nome")
NO_TEXTS: list[Any] = [..., None, 5, []]
BAD: list[dict[str, Any]] = [
    *({name: value} for name in GOOD for value in NO_TEXTS),
    *({name: value} for name in NAMES for value in ("", "  ", "x" * 101, "a\0b", "a\u0007b", "\u200b")),
    *({name: value} for name in ("raca_nome", "porte_nome") for value in ("x" * 101, "a\0b")),
    *({"indicador_castrado": value} for value in ("false", 0)),
    {"microchip_numero": "9" * 31},
    {"microchip_numero": 5},
    {"foto_url": 5},
    {"foto_url": "https://a.example/" + "x" * 2048},
]
NO_DAYS = ("", "15/01/2022", "2022-02-30", "2022-1-5", "20220115", "2022-01-15T12:00:00", "0001-01-01T00:00:00+23:59")
NO_PHOTOS = ("http://a.example/x", "data:,x", "https://", "https://u:p@a.example", "https://[", "a")
WRONG: list[tuple[str, str, str]] = [
    *(("sexo_sigla", value, "sexo_sigla-invalid") for value in ("", "m", "X", "MF")),
    *(("nascimento_data", value, "nascimento_data-invalid") for value in NO_DAYS),
    ("nascimento_data", "1969-12-31", "nascimento_data-range"),
    *(("foto_url", value, "foto_url-invalid") for value in NO_PHOTOS),
]


@pytest.mark.parametrize(("member", "value", "code"), WRONG)
def test_what_is_wrong_of_a_pet_has_its_code(add: Ask, sql: Sql, member: str, value: str, code: str) -> None:
    answer = add(**{member: value})
    assert (*refusal(answer), f"`{member}`" in answer.json()["error"]) == (400, code, True)
    assert sql("SELECT FROM registry.own_pet") == []


@pytest.mark.parametrize("changes", BAD, ids=range(len(BAD)))
def test_a_bad_pet_is_refused_by_name_and_nothing_is_stored(add: Ask, sql: Sql, changes: dict[str, Any]) -> None:
    answer = add(**changes)
    assert (answer.status_code, set(answer.json())) == (400, {"error", "message"})
    assert f"`{next(iter(changes))}`" in answer.json()["error"]
    assert sql("SELECT FROM registry.own_pet") == []


def test_loaded_pets_come_first_then_own_ones_by_number(http: httpx.Client, owner: dict[str, str], add: Ask) -> None:
    own = [add(animal_nome=name).json()["id_animal"] for name in "ab"]
    answer = http.get(path(), headers=owner)
    assert set(answer.json()) == {"data", "pagination"}
    assert [pet["id_animal"] for pet in answer.json()["data"]] == [3, 5, 6, 7, 20, *own]
    assert answer.json()["pagination"] == {"page": 1, "per_page": 10, "total": 7, "total_pages": 1}
    last = http.get(path(), headers=owner, params={"page": 3, "per_page": 3}).json()["data"]
    assert [pet["id_animal"] for pet in last] == own[1:]
    for query in ({"per_page": 101}, {"page": 0}, {"page": "x"}):
        assert http.get(path(), headers=owner, params=query).status_code == 400


def test_a_loaded_pet_shows_its_days_and_no_other_tutors_cpf(http: httpx.Client, owner: dict[str, str]) -> None:
    pet = http.get(f"{path()}/3", headers=owner).json()
    assert set(pet) == MEMBERS
    assert (pet["source"], pet["nascimento_data"]) == ("curated", "2019-06-20T00:00:00-03:00")
    assert pet["registro_data"] == "2021-02-11T15:00:00Z"
    assert pet["clinica_credenciada"]["nome"] == "Clínica"
    assert set(pet["clinica_credenciada"]) == {"nome", "telefone", "celular", "email", "endereco"}
    assert pet["outros_tutores"] == [{"cpf": "***.000.001-**", "nome": "Outra pessoa", "telefone": None, "email": None}]


def test_the_statistics_are_of_loaded_pets_and_own_ones_are_counted_apart(
    http: httpx.Client, issuer: Issuer, owner: dict[str, str], add: Ask
) -> None:
    assert add().status_code == 201
    assert http.get(f"{path()}/stats", headers=owner).json() == {
        "cpf": FABIO,
        "statistics": {"quantidade_cachorro": 2, "quantidade_gato": 1, "quantidade_outro": 2},
        "self_registered_pets_count": 1,
    }
    assert http.get(f"{path(ANA)}/stats", headers=bearer(issuer.person(ANA))).json() == {
        "cpf": ANA,
        "statistics": {"quantidade_cachorro": 0, "quantidade_gato": 0, "quantidade_outro": 0},
        "self_registered_pets_count": 0,
    }


def test_ids_that_are_no_pet_of_this_person(
    http: httpx.Client, issuer: Issuer, owner: dict[str, str], add: Ask
) -> None:
    ours = add().json()["id_animal"]
    found = {text: refusal(http.get(f"{path()}/{text}", headers=owner)) for text in ("4", "0", "-1", "9" * 18)}
    assert set(found.values()) == {(404, "pet-unknown")}
    for text in ("abc", "1.0", "+1", "1e3", "٣", "9" * 40):
        assert refusal(http.get(f"{path()}/{text}", headers=owner)) == (400, "pet-id-invalid")
    for number in (3, ours):
        anothers = http.get(f"{path(ANA)}/{number}", headers=bearer(issuer.person(ANA)))
        assert refusal(anothers) == (404, "pet-unknown")


def test_a_repeated_call_with_its_key_makes_one_pet(http: httpx.Client, add: Ask, sql: Sql) -> None:
    key = {"Idempotency-Key": "pet-1"}
    with ThreadPoolExecutor(6) as pool:
        answers = list(pool.map(lambda _: add(key), range(6)))
    assert {answer.status_code for answer in answers} == {201}
    assert len({answer.content for answer in answers}) == 1
    reused, malformed = add(key, animal_nome="Outro"), add({"Idempotency-Key": "x" * 129})
    assert (reused.status_code, reused.headers["Error-Code"]) == (409, "idempotency-key-reused")
    assert (malformed.status_code, malformed.headers["Error-Code"]) == (400, "idempotency-key-invalid")
    assert len(sql("SELECT FROM registry.own_pet")) == 1


def test_of_parallel_calls_at_the_limit_one_more_pet_is_made(add: Ask, sql: Sql) -> None:
    sql(
        'INSERT INTO registry.own_pet (cpf, record) SELECT $1, \'{"animal_nome": "x"}\' FROM generate_series(1, $2)',
        FABIO,
        MOST_OWN - 1,
    )
    with ThreadPoolExecutor(6) as pool:
        answers = sorted(pool.map(lambda _: refusal(add()), range(6)))
    assert answers == [(201, None)] + [(409, "pet-limit")] * 5
    assert len(sql("SELECT FROM registry.own_pet")) == MOST_OWN


def test_who_is_at_the_limit_still_gets_the_response_of_a_repeated_call(add: Ask, sql: Sql) -> None:
    key = {"Idempotency-Key": "pet-2"}
    first = add(key)
    sql(
        'INSERT INTO registry.own_pet (cpf, record) SELECT $1, \'{"animal_nome": "x"}\' FROM generate_series(1, $2)',
        FABIO,
        MOST_OWN - 1,
    )
    assert (add(key).status_code, add(key).content) == (first.status_code, first.content)
    assert refusal(add(key, animal_nome="Outro")) == (409, "idempotency-key-reused")
    assert refusal(add({"Idempotency-Key": "pet-3"})) == (409, "pet-limit")


def test_who_may_see_and_add_pets(http: httpx.Client, issuer: Issuer, owner: dict[str, str]) -> None:
    desk = bearer(issuer.person(ANA, realm_access={"roles": ["rmi:atendimento"]}))
    callers = [
        owner,
        bearer(issuer.admin()),
        desk,
        bearer(issuer.person(ANA)),
        bearer(issuer.machine("painel-saude", "smf:read")),
    ]
    for reading in (path(), f"{path()}/stats", f"{path()}/3"):
        assert [http.get(reading, headers=who).status_code for who in callers] == [200, 200, 200, 403, 403]
        assert http.get(reading).status_code == 401
    assert [http.post(path(), json=GOOD, headers=who).status_code for who in callers] == [201, 201, 403, 403, 403]
    assert [http.get(path("123"), headers=who).status_code for who in callers] == [403, 400, 400, 403, 403]


def test_writes_and_reads_by_others_leave_a_trace(
    http: httpx.Client, issuer: Issuer, owner: dict[str, str], add: Ask, sql: Sql
) -> None:
    sql("DELETE FROM platform.audit_event")
    add()
    for reading in (path(), f"{path()}/stats", f"{path()}/3"):
        http.get(reading, headers=owner)
        http.get(reading, headers=bearer(issuer.admin()))
    rows = sql("SELECT action, subject, actor_kind, fields FROM platform.audit_event ORDER BY at")
    assert [tuple(row) for row in rows] == [
        ("create", FABIO_MASKED, "owner", ["pets"]),
        *[("read", FABIO_MASKED, "staff", ["pets"])] * 3,
    ]


async def test_the_export_has_all_pets_and_anonymisation_erases_the_own_ones(
    platform: Platform, add: Ask, database_url: str
) -> None:
    own = add().json()["id_animal"]
    async with platform.database.transaction() as connection:
        exported = await PERSONAL_DATA.export(connection, Cpf(FABIO))
        assert [pet["id_animal"] for pet in exported["pets"]] == [3, 5, 6, 7, 20, own]
        assert ANA not in msgspec.json.encode(exported).decode()
        assert PERSONAL_DATA.erase is not None
        [cleared] = await PERSONAL_DATA.erase(connection, Cpf(FABIO), datetime.now(UTC))
        left = await PERSONAL_DATA.export(connection, Cpf(FABIO))
    assert (cleared.kind, cleared.count) == ("pets", 1)
    assert [pet["source"] for pet in left["pets"]] == ["curated"] * 5


def test_loading_again_changes_only_what_differs(http: httpx.Client, owner: dict[str, str], database_url: str) -> None:
    assert load(database_url, IMPORTS[0], *LINES) == 0
    assert load(database_url, IMPORTS[0], *LINES, line(20, "Gato"), line(20, "Gata")) == 1
    assert http.get(f"{path()}/20", headers=owner).json()["especie_nome"] == "Gata"


@pytest.mark.parametrize(
    "changes",
    [
        {"id_animal": 0},
        {"id_animal": 1_000_000},
        {"cpf": "90000000681"},
        {"nascimento_data": "x"},
        {"animal_nome": ""},
        {"outros_tutores": [{"cpf": "1"}]},
    ],
    ids=str,
)
def test_a_line_that_is_no_pet_is_refused(changes: dict[str, Any]) -> None:
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert(line(1, "Gato") | changes, IMPORTS[0].row)


@pytest.fixture
def change(http: httpx.Client, owner: dict[str, str]) -> Callable[..., httpx.Response]:
    def call(method: str, pet_id: int, body: Any = None, *, cpf: str = FABIO, **headers: str) -> httpx.Response:
        return http.request(method, f"{path(cpf)}/{pet_id}", json=body, headers=owner | headers)

    return call


def test_an_own_pet_is_replaced_and_keeps_its_registration(add: Ask, change: Ask, sql: Sql) -> None:
    pet = add(microchip_numero="1", foto_url="https://fotos.example/a.png").json()
    number = pet["id_animal"]
    changed = change("PUT", number, GOOD | {"animal_nome": "Siri Patola", "indicador_castrado": True})
    assert (changed.status_code, changed.json()) == (
        200,
        pet | {"animal_nome": "Siri Patola", "indicador_castrado": True, "microchip_numero": None, "foto_url": None},
    )
    shown = change("GET", number)
    assert (shown.json(), shown.headers["ETag"]) == (changed.json(), changed.headers["ETag"])
    assert changed.headers["Cache-Control"] == "no-store, private"
    event = sql("SELECT action, fields FROM platform.audit_event WHERE operation = 'registry.replace_pet'")[-1]
    assert (event["action"], event["fields"]) == ("update", ["pets"])


@pytest.mark.parametrize("birth", ["2022-01-15", "2022-01-15T12:00:00-03:00"])
def test_a_pet_that_is_sent_as_it_was_shown_does_not_change(add: Ask, change: Ask, birth: str) -> None:
    pet = add(nascimento_data=birth).json()
    tag = change("GET", pet["id_animal"]).headers["ETag"]
    again = change("PUT", pet["id_animal"], pet, **{"If-Match": tag})
    assert (again.status_code, again.json(), again.headers["ETag"]) == (200, pet, tag)


def test_of_two_who_change_a_pet_the_second_is_told(add: Ask, change: Ask) -> None:
    number = add().json()["id_animal"]
    tag = change("GET", number).headers["ETag"]
    assert change("PUT", number, GOOD | {"animal_nome": "Polvo"}, **{"If-Match": tag}).status_code == 200
    for stale in (tag, "W/" + tag):
        assert change("PUT", number, GOOD, **{"If-Match": stale}).status_code == 412
        assert change("DELETE", number, **{"If-Match": stale}).status_code == 412
    current = change("GET", number)
    assert current.json()["animal_nome"] == "Polvo"
    gone = change("DELETE", number, **{"If-Match": current.headers["ETag"]})
    assert (gone.status_code, gone.content) == (204, b"")
    for method in ("GET", "DELETE"):
        assert refusal(change(method, number)) == (404, "pet-unknown")
    assert refusal(change("PUT", number, GOOD)) == (404, "pet-unknown")


def test_only_own_pets_change(add: Ask, change: Ask, http: httpx.Client, issuer: Issuer, sql: Sql) -> None:
    for method in ("PUT", "DELETE"):
        assert refusal(change(method, 3, GOOD)) == (409, "pet-not-own")
        assert refusal(change(method, 4, GOOD)) == (404, "pet-unknown")
        assert refusal(change(method, 10**17, GOOD)) == (404, "pet-unknown")
    number = add().json()["id_animal"]
    ana = bearer(issuer.person(ANA))
    for method in ("PUT", "DELETE"):
        foreign = http.request(method, f"{path(ANA)}/{number}", json=GOOD, headers=ana)
        assert refusal(foreign) == (404, "pet-unknown")
        assert http.request(method, f"{path()}/{number}", json=GOOD, headers=ana).status_code == 403
    assert change("GET", number).json()["animal_nome"] == "Siri"
    assert sql("SELECT count(*) AS pets FROM registry.loaded_pet")[0]["pets"] == len(LINES)


@pytest.mark.parametrize(
    "wrong", [{"animal_nome": ""}, {"sexo_sigla": "X"}, {"nascimento_data": "1969-12-31"}, {"porte_nome": 5}]
)
def test_a_change_is_checked_like_a_new_pet(add: Ask, change: Ask, wrong: dict[str, Any]) -> None:
    pet = add().json()
    assert change("PUT", pet["id_animal"], GOOD | wrong).status_code == 400
    assert change("GET", pet["id_animal"]).json() == pet


def test_a_deleted_pet_makes_room_for_another(add: Ask, change: Ask, sql: Sql) -> None:
    number = add().json()["id_animal"]
    sql(
        "INSERT INTO registry.own_pet (cpf, record)"
        " SELECT $1, record FROM registry.own_pet, generate_series(2, $2::int) WHERE id_animal = $3",
        FABIO,
        MOST_OWN,
        number,
    )
    assert refusal(add()) == (409, "pet-limit")
    assert change("DELETE", number).status_code == 204
    assert add().status_code == 201
