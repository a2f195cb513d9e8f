"""Tests for the city's settings: limits, prefix and allowed hosts of photos (rules: registry 3.6, 4.8)."""

from typing import Any

import pytest

from balcao.core.values.cpf import Cpf
from balcao.settings import Settings, SettingsError
from tests.registry.mobility.garage import PHOTO, Garage, form
from tests.support.demo_people import ANA
from tests.support.issuer import Issuer
from tests.support.refusals import refusal

HERE = "https://a.fotos.portoaurora.example/x.jpg"


@pytest.fixture(scope="module")
def settings(issuer: Issuer, tmp_path_factory: pytest.TempPathFactory) -> Settings:
    return Settings(
        auth_issuer=issuer.address,
        data_dir=tmp_path_factory.mktemp("data"),
        mobility_file_hosts=" Fotos.PortoAurora.example ,",
        mobility_prefix="PA-",
        mobility_max_vehicles=2,
        mobility_max_drivers=0,
    )


def test_limits_prefix_and_servers_are_the_citys(garage: Garage, sql: Any) -> None:
    photos = {"serial_number_photo_url": HERE, "vehicle_photo_url": HERE}
    assert refusal(garage.register(ANA, form())) == (400, "serial_number_photo_url-invalid")
    invoice = garage.register(ANA, form(**photos, has_invoice=True, invoice_photo_url=PHOTO))
    assert refusal(invoice) == (400, "invoice_photo_url-invalid")
    sql("SELECT setval('registry.vehicle_number', 999998)")
    made = [garage.registered(ANA, **photos) for _ in range(2)]
    assert [one["registration_number"] for one in made] == ["PA-999999", "PA-1000000"]
    over = garage.register(ANA, form(**photos))
    assert (over.status_code, over.headers["Error-Code"]) == (409, "vehicle-limit")
    for number in range(300, 312):  # the setting 0 means no limit
        garage.invited(ANA, made[0]["id"], Cpf.with_stem(f"900000{number}").digits)


@pytest.mark.parametrize(
    ("name", "value"),
    [("MOBILITY_PREFIX", "RJ E"), ("MOBILITY_MAX_VEHICLES", "-1"), ("SMTP_URL", "http://x"), ("MAIL_FROM", "a b@c")],
)
def test_a_setting_that_cannot_be_is_refused_by_name(name: str, value: str) -> None:
    with pytest.raises(SettingsError, match=f"BALCAO_{name}"):
        Settings.load({f"BALCAO_{name}": value})
