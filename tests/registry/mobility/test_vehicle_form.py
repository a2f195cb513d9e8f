"""The values that the form of a vehicle accepts, over HTTP (rules: registry 2.7, 3.6, 4.8)."""

from typing import Any

import pytest

from tests.registry.mobility.garage import PHOTO, Garage, form
from tests.support.demo_people import ANA, CARLA
from tests.support.refusals import refusal
from tests.support.rules import read_values

OTHERS = {"brand_id": None, "model_id": None}
REFUSED: list[tuple[str, dict[str, Any], str]] = [
    *((member, {member: value}, code) for member, value, code in read_values("registry", "M2")),
    ("invoice_photo_url", {"has_invoice": True}, "invoice_photo_url-missing"),
    ("invoice_photo_url", {"has_invoice": True, "invoice_photo_url": "http://x"}, "invoice_photo_url-invalid"),
    (
        "brand_other",
        {**OTHERS, "brand_other": "x" * 51, "model_other": "y", "vehicle_type": "ciclomotor"},
        "brand_other-length",
    ),
]


@pytest.mark.cases("registry", "M2")
@pytest.mark.parametrize(("field", "members", "code"), REFUSED)
def test_a_form_at_fault_is_refused_by_name_and_nothing_is_stored(
    garage: Garage, sql: Any, field: str, members: dict[str, Any], code: str
) -> None:
    before = sql("SELECT count(*) FROM registry.vehicle")
    answer = garage.register(ANA, form(**members))
    assert (*refusal(answer), set(answer.json())) == (400, code, {"error", "message"})
    assert f"`{field}`" in answer.json()["error"]
    assert sql("SELECT count(*) FROM registry.vehicle") == before


@pytest.mark.parametrize(("length", "status"), [(1, 201), (50, 201), (51, 400), (0, 400)])
def test_names_are_counted_in_characters(garage: Garage, length: int, status: int) -> None:
    assert garage.register(CARLA, form(display_name="é" * length)).status_code == status


CHOICES = [
    (
        {"model_id": ..., "model_other": "Artesanal", "vehicle_type": "ciclomotor"},
        ("brand_brisa", None, None, "Artesanal"),
    ),
    (
        {"model_id": "model_outro", "model_other": "Artesanal", "vehicle_type": "ciclomotor"},
        ("brand_brisa", None, None, "Artesanal"),
    ),
    (
        {
            "brand_id": "brand_outro",
            "brand_other": "Oficina",
            "model_id": "model_outro",
            "model_other": "Artesanal",
            "vehicle_type": "ciclomotor",
        },
        (None, "Oficina", None, "Artesanal"),
    ),
]


@pytest.mark.cases("registry", "M4")
@pytest.mark.parametrize(("members", "kept"), CHOICES)
def test_outside_the_catalogue_brand_and_model_are_as_typed(
    garage: Garage, members: dict[str, Any], kept: tuple[Any, ...]
) -> None:
    made = garage.registered(CARLA, **members)
    assert (made["brand_id"], made["brand_other"], made["model_id"], made["model_other"]) == kept
    assert (made["vehicle_type"], made["model_name"]) == ("ciclomotor", None)
    assert made["brand_name"] == ("Brisa" if kept[0] else None)


@pytest.mark.cases("registry", "M4")
@pytest.mark.parametrize(
    ("members", "code"),
    [
        ({"model_id": "model_outro"}, "model-missing"),
        ({"model_id": ..., "model_other": "Artesanal"}, "vehicle_type-missing"),
        (
            {"brand_id": "brand_outro", "model_id": ..., "model_other": "x", "vehicle_type": "ciclomotor"},
            "brand-missing",
        ),
        (
            {"brand_id": "brand_outro", "brand_other": "x", "vehicle_type": "ciclomotor"},
            "model-of-another-brand",
        ),
        (
            {"brand_id": "brand_apagada", "model_id": ..., "model_other": "x", "vehicle_type": "ciclomotor"},
            "brand-unknown",
        ),
        ({"brand_id": ..., "model_id": ...}, "model-missing"),
    ],
)
def test_a_choice_that_is_none_of_the_flows_is_refused(garage: Garage, members: dict[str, Any], code: str) -> None:
    garage.brand("Apagada")
    garage.ask(garage.admin, "DELETE", "/registry/v1/admin/mobilidade/vehicle-brands/brand_apagada")
    assert refusal(garage.register(CARLA, form(**members))) == (400, code)


def test_an_invoice_is_kept_only_when_there_is_one(garage: Garage) -> None:
    invoice = {"invoice_photo_url": PHOTO, "invoice_photo_file_name": "nota.jpg", "invoice_photo_file_size": 7}
    without = garage.registered(CARLA, **invoice)
    assert [without[name] for name in invoice] == [None, None, None]
    with_one = garage.registered(CARLA, has_invoice=True, **invoice)
    assert {name: with_one[name] for name in invoice} == invoice


def test_an_empty_file_name_and_a_size_of_zero_are_unknown(garage: Garage) -> None:
    made = garage.registered(CARLA, vehicle_photo_file_name=" ", vehicle_photo_file_size=0)
    assert (made["vehicle_photo_file_name"], made["vehicle_photo_file_size"]) == (None, None)
