"""Tests for the catalogue: brands, models and colours (rules: registry 2.7, 2.8, 3.6)."""

import asyncio
from concurrent.futures import ThreadPoolExecutor
from itertools import count
from typing import Any

import asyncpg
import msgspec
import pytest

from balcao.registry.mobility.catalogue.colours import COLOURS
from balcao.registry.mobility.catalogue.imports import IMPORTS
from tests.registry.mobility.garage import ADMIN, MOBILITY, Garage, form
from tests.support.body_shapes import INSTANT, Optional, differences
from tests.support.demo_people import ANA
from tests.support.proof_sizes import size
from tests.support.refusals import refusal

BRANDS, MODELS = f"{ADMIN}/vehicle-brands", f"{ADMIN}/vehicle-models"
CHANGED, DELETED = (200, None), (204, None)
NAME_TAKEN, BRAND_IN_USE, MODEL_IN_USE = (409, "name-taken"), (409, "brand-in-use"), (409, "model-in-use")
SENTINEL, NOT_KNOWN = (400, "catalogue-sentinel"), (404, "catalogue-unknown")
BRAND = {"id": str, "name": str, "is_other": bool, "deleted_at": Optional(INSTANT)}
MODEL = BRAND | {"brand_id": str, "vehicle_type": str}


def read(garage: Garage, path: str) -> list[Any]:
    answer = garage.ask(ANA, "GET", f"{MOBILITY}/{path}")
    assert answer.status_code == 200
    assert garage.ask(ANA, "GET", f"{MOBILITY}/{path}", **{"If-None-Match": answer.headers["ETag"]}).status_code == 304
    found: list[Any] = answer.json()["data"]
    return found


def change(garage: Garage, path: str, **members: Any) -> tuple[int, str | None]:
    return refusal(garage.ask(garage.admin, "PATCH", path, members))


def delete(garage: Garage, path: str) -> tuple[int, str | None]:
    return refusal(garage.ask(garage.admin, "DELETE", path))


def test_everybody_with_a_token_reads_and_nobody_without(garage: Garage) -> None:
    paths = ("vehicle-brands", "vehicle-models?brand_id=brand_brisa", "vehicle-colors")
    for path in paths:
        assert garage.http.get(f"{MOBILITY}/{path}").status_code == 401
    assert read(garage, "vehicle-colors") == list(COLOURS)
    assert differences(read(garage, "vehicle-brands"), [BRAND]) == []
    assert differences(read(garage, "vehicle-models?brand_id=brand_brisa"), [MODEL]) == []
    assert read(garage, "vehicle-models?brand_id=desconhecida") == []
    nul = garage.ask(ANA, "GET", f"{MOBILITY}/vehicle-models?brand_id=a%00b")
    assert refusal(nul) == (400, "brand_id-control")
    for query in ("", "?brand_id="):
        missing = garage.ask(ANA, "GET", f"{MOBILITY}/vehicle-models{query}")
        assert (*refusal(missing), "brand_id" in missing.json()["error"]) == (400, "brand_id-missing", True)


def test_administration_is_for_holders_of_the_action(garage: Garage) -> None:
    calls = [
        ("GET", BRANDS),
        ("POST", BRANDS),
        ("PATCH", f"{BRANDS}/brand_brisa"),
        ("DELETE", f"{BRANDS}/brand_brisa"),
        ("GET", MODELS),
        ("POST", MODELS),
        ("PATCH", f"{MODELS}/model_brisa_mini"),
        ("DELETE", f"{MODELS}/model_brisa_mini"),
    ]
    assert [garage.ask(ANA, method, path, {}).status_code for method, path in calls] == [403] * 8


def test_names_are_sorted_without_case_and_accents_and_the_sentinel_comes_last(garage: Garage) -> None:
    for name in ("zebra", "Ágata", "Árvore", "abelha"):
        assert garage.brand(name).status_code == 201
    names = [brand["name"] for brand in read(garage, "vehicle-brands")]
    assert names[-1] == "Outro"
    assert [n for n in names if n in {"zebra", "Ágata", "Árvore", "abelha"}] == ["abelha", "Ágata", "Árvore", "zebra"]


def test_a_brand_gets_an_id_from_its_name_and_keeps_it(garage: Garage) -> None:
    made = garage.brand("São João-X / 2")
    assert made.json() == {"id": "brand_sao_joao_x_2", "name": "São João-X / 2", "is_other": False, "deleted_at": None}
    path = f"{BRANDS}/brand_sao_joao_x_2"
    renamed = garage.ask(garage.admin, "PATCH", path, {"name": " Novo nome "})
    assert renamed.json() == made.json() | {"name": "Novo nome"}
    assert change(garage, path, name="NOVO NOME") == CHANGED  # the brand's own name in upper case
    assert refusal(garage.brand("São João-X / 2")) == NAME_TAKEN  # another row has the id that follows from this name
    assert [delete(garage, path) for _ in range(2)] == [DELETED, NOT_KNOWN]
    assert change(garage, path, name="x") == NOT_KNOWN
    assert refusal(garage.brand("São João X 2")) == NAME_TAKEN  # a deleted brand's id is still taken
    assert "brand_sao_joao_x_2" not in {brand["id"] for brand in read(garage, "vehicle-brands")}
    kept = garage.ask(garage.admin, "GET", BRANDS).json()["data"]
    assert differences(kept, [BRAND]) == []
    assert [brand["deleted_at"] is None for brand in kept if brand["id"] == "brand_sao_joao_x_2"] == [False]


@pytest.mark.cases("registry", "M11")
def test_names_are_unique_without_case_among_live_ones(garage: Garage) -> None:
    assert garage.brand("Corisco").status_code == 201
    assert refusal(garage.brand(" corisco ")) == NAME_TAKEN
    assert refusal(garage.brand("CORISCO")) == NAME_TAKEN
    assert garage.brand("Trovão").status_code == 201
    assert change(garage, f"{BRANDS}/brand_trovao", name="corisco") == NAME_TAKEN
    assert garage.model("brand_trovao", "Um").status_code == 201
    assert refusal(garage.model("brand_trovao", "UM")) == NAME_TAKEN
    assert garage.model("brand_corisco", "Um").status_code == 201
    assert garage.model("brand_corisco", "Dois").status_code == 201
    assert change(garage, f"{MODELS}/model_corisco_dois", name="um") == NAME_TAKEN


@pytest.mark.parametrize(
    ("name", "code"),
    [
        *((name, "name-length") for name in ("", " ", "x" * 101)),
        ("a\u0000b", "name-control"),
        ("///", "name-slug"),
        *((name, "body-invalid") for name in (None, 5)),
    ],
    ids=repr,
)
def test_a_bad_name_is_refused(garage: Garage, name: Any, code: str) -> None:
    answer = garage.ask(garage.admin, "POST", BRANDS, {"name": name})
    assert (*refusal(answer), "`name`" in answer.json()["error"]) == (400, code, True)
    assert refusal(garage.ask(garage.admin, "POST", BRANDS, {})) == (400, "body-invalid")


def test_sentinels_do_not_change(garage: Garage) -> None:
    assert change(garage, f"{BRANDS}/brand_outro", name="x") == SENTINEL
    assert delete(garage, f"{BRANDS}/brand_outro") == SENTINEL
    assert refusal(garage.model("brand_outro", "x")) == SENTINEL
    assert change(garage, f"{MODELS}/model_outro", name="x") == SENTINEL
    assert delete(garage, f"{MODELS}/model_outro") == SENTINEL
    assert change(garage, f"{MODELS}/model_brisa_mini", brand_id="brand_outro") == SENTINEL


def test_models_belong_to_a_brand_and_can_move_while_nobody_uses_them(garage: Garage) -> None:
    garage.brand("Partida")
    garage.brand("Chegada")
    made = garage.model("brand_partida", "Ágil 2", "ciclomotor")
    assert (made.status_code, made.json()["id"]) == (201, "model_partida_agil_2")
    assert differences(made.json(), MODEL) == []
    assert refusal(garage.model("brand_partida", "x", "carro")) == (400, "vehicle_type-unknown")
    assert refusal(garage.model("brand_nenhuma", "x")) == NOT_KNOWN
    path = f"{MODELS}/model_partida_agil_2"
    assert change(garage, path) == (400, "nothing-to-change")
    assert change(garage, path, name=None) == (400, "body-invalid")
    assert change(garage, path, vehicle_type="carro") == (400, "vehicle_type-unknown")
    assert change(garage, path, brand_id="brand_nenhuma") == NOT_KNOWN
    moved = garage.ask(garage.admin, "PATCH", path, {"brand_id": "brand_chegada", "vehicle_type": "autopropelido"})
    assert moved.json() == made.json() | {"brand_id": "brand_chegada", "vehicle_type": "autopropelido"}
    assert [m["id"] for m in read(garage, "vehicle-models?brand_id=brand_chegada")] == ["model_partida_agil_2"]
    assert delete(garage, f"{BRANDS}/brand_chegada") == BRAND_IN_USE
    assert [delete(garage, path) for _ in range(2)] == [DELETED, NOT_KNOWN]
    assert change(garage, path, name="x") == NOT_KNOWN
    assert delete(garage, f"{BRANDS}/brand_chegada") == DELETED
    of_brand = garage.ask(garage.admin, "GET", f"{MODELS}?brand_id=brand_chegada").json()["data"]
    assert [model["deleted_at"] is None for model in of_brand] == [False]
    assert {m["id"] for m in garage.ask(garage.admin, "GET", MODELS).json()["data"]} > {"model_partida_agil_2"}


@pytest.mark.cases("registry", "M11")
def test_what_live_vehicles_refer_to_stays_but_for_its_name(garage: Garage) -> None:
    garage.brand("Usada")
    garage.brand("Outra casa")
    garage.model("brand_usada", "Fixa")
    held = garage.registered(ANA, brand_id="brand_usada", model_id="model_usada_fixa")["id"]
    path = f"{MODELS}/model_usada_fixa"
    assert change(garage, path, vehicle_type="ciclomotor") == MODEL_IN_USE
    assert change(garage, path, brand_id="brand_outra_casa") == MODEL_IN_USE
    assert change(garage, path, brand_id="brand_usada", vehicle_type="bicicleta_eletrica", name="Fixa 2") == CHANGED
    assert (delete(garage, path), delete(garage, f"{BRANDS}/brand_usada")) == (MODEL_IN_USE, BRAND_IN_USE)
    assert change(garage, f"{BRANDS}/brand_usada", name="Usada 2") == CHANGED
    shown = garage.vehicle(ANA, held).json()
    assert (shown["brand_name"], shown["model_name"]) == ("Usada 2", "Fixa 2")
    garage.vehicle(ANA, held, "DELETE")
    hybrid = form(brand_id="brand_usada", model_id=..., model_other="Minha", vehicle_type="ciclomotor")
    second = garage.register(ANA, hybrid).json()["id"]
    assert delete(garage, path) == DELETED
    assert delete(garage, f"{BRANDS}/brand_usada") == BRAND_IN_USE
    garage.vehicle(ANA, second, "DELETE")
    assert delete(garage, f"{BRANDS}/brand_usada") == DELETED


def test_a_repeated_post_makes_one_row(garage: Garage) -> None:
    key = {"Idempotency-Key": "marca"}
    answers = [garage.ask(garage.admin, "POST", BRANDS, {"name": "Repetida"}, **key) for _ in range(2)]
    assert [answer.status_code for answer in answers] == [201, 201]
    assert answers[0].content == answers[1].content
    another = garage.ask(garage.admin, "POST", BRANDS, {"name": "Outra"}, **key)
    assert refusal(another) == (409, "idempotency-key-reused")


def test_the_same_name_at_once_makes_one_brand(garage: Garage) -> None:
    with ThreadPoolExecutor(6) as pool:
        made = list(pool.map(lambda n: garage.brand("Corrida" if n % 2 else "CORRIDA"), range(6)))
    assert sorted(map(refusal, made)) == [(201, None)] + [NAME_TAKEN] * 5


_numbers = count()


@pytest.mark.parametrize("_", range(size(4, 50)))
def test_registering_against_deleting_leaves_no_vehicle_on_a_deleted_model(garage: Garage, sql: Any, _: int) -> None:
    brand = garage.brand(f"Corrida {next(_numbers)}").json()["id"]
    model = garage.model(brand, "M").json()["id"]
    with ThreadPoolExecutor(2) as pool:
        registered = pool.submit(garage.register, ANA, form(brand_id=brand, model_id=model))
        deleted = pool.submit(delete, garage, f"{MODELS}/{model}")
        outcome = refusal(registered.result()), deleted.result()
    assert outcome in {((201, None), MODEL_IN_USE), ((400, "model-unknown"), DELETED)}
    for one in garage.vehicles(ANA):
        garage.vehicle(ANA, one["id"], "DELETE")


def test_every_change_is_in_the_trail(garage: Garage, sql: Any) -> None:
    (former,) = sql("SELECT clock_timestamp()")[0]
    assert garage.brand("Rastro").status_code == 201
    assert garage.model("brand_rastro", "Um").status_code == 201
    for path in (f"{MODELS}/model_rastro_um", f"{BRANDS}/brand_rastro"):
        assert change(garage, path, name="Outro nome") == CHANGED
        assert delete(garage, path) == DELETED
    trail = sql(
        "SELECT operation, action FROM platform.audit_event WHERE at > $1 AND operation LIKE 'registry.%vehicle_%'",
        former,
    )
    assert {tuple(event) for event in trail} == {
        ("registry.add_vehicle_brand", "create"),
        ("registry.rename_vehicle_brand", "update"),
        ("registry.remove_vehicle_brand", "delete"),
        ("registry.add_vehicle_model", "create"),
        ("registry.change_vehicle_model", "update"),
        ("registry.remove_vehicle_model", "delete"),
    }


def load(database_url: str, kind: str, *rows: dict[str, str]) -> int:
    """Import the rows under the owner's role, as the import command does."""
    found = next(load for load in IMPORTS if load.kind == kind)

    async def once() -> int:
        connection = await asyncpg.connect(database_url)
        try:
            async with connection.transaction():
                return await found.write(connection, [msgspec.convert(row, found.row) for row in rows])
        finally:
            await connection.close()

    return asyncio.run(once())


def test_an_import_is_idempotent_and_leaves_what_administrators_and_owners_did(
    garage: Garage, database_url: str, sql: Any
) -> None:
    brands = [{"name": "Carga"}, {"name": "CARGA"}, {"name": "Outro"}]
    assert (load(database_url, "vehicle-brands", *brands), load(database_url, "vehicle-brands", *brands)) == (1, 0)
    models = [
        {"brand": "carga", "name": "Leve", "vehicle_type": "autopropelido"},
        {"brand": "Nova", "name": "Só", "vehicle_type": "ciclomotor"},
    ]
    assert (load(database_url, "vehicle-models", *models), load(database_url, "vehicle-models", *models)) == (2, 0)
    garage.registered(ANA, brand_id="brand_carga", model_id="model_carga_leve")
    in_use, free = ({**model, "vehicle_type": "bicicleta_eletrica"} for model in models)
    assert load(database_url, "vehicle-models", in_use, free) == 1
    assert delete(garage, f"{MODELS}/model_nova_so") == DELETED
    assert change(garage, f"{BRANDS}/brand_carga", name="Carga Pesada") == CHANGED
    assert load(database_url, "vehicle-models", *models) == 0
    assert load(database_url, "vehicle-brands", {"name": "Carga pesada"}, {"name": "Carga"}) == 0
    assert load(database_url, "vehicle-models", {"brand": "Carga", "name": "Mais", "vehicle_type": "ciclomotor"}) == 1
    assert {m["id"] for m in read(garage, "vehicle-models?brand_id=brand_carga")} == {
        "model_carga_leve",
        "model_carga_mais",
    }
    rows = sql(
        "SELECT id, vehicle_type, deleted_at IS NULL FROM registry.vehicle_model WHERE id IN ($1, $2) ORDER BY id",
        "model_carga_leve",
        "model_nova_so",
    )
    assert [tuple(row) for row in rows] == [
        ("model_carga_leve", "autopropelido", True),
        ("model_nova_so", "bicicleta_eletrica", False),
    ]


@pytest.mark.parametrize(
    "row",
    [
        {"brand": "", "name": "x", "vehicle_type": "ciclomotor"},
        {"brand": "x", "name": "/", "vehicle_type": "ciclomotor"},
        {"brand": "x", "name": "y", "vehicle_type": "carro"},
    ],
    ids=["brand", "name", "vehicle_type"],
)
def test_an_unusable_row_is_refused_by_type(database_url: str, row: dict[str, str]) -> None:
    with pytest.raises(msgspec.ValidationError):
        load(database_url, "vehicle-models", row)
