"""Optimistic writes that lose every race give up, and report this.

A trigger simulates a cause that prevents the write, but that the read before it does not see.
"""

from collections.abc import Iterator
from contextlib import contextmanager

from tests.registry.mobility.conftest import garage as garage
from tests.registry.mobility.conftest import server as server
from tests.registry.mobility.garage import ANA, BRUNO, CITIZEN, DAVI, Garage
from tests.registry.test_round_trips import PET
from tests.support.fixture_types import Sql


@contextmanager
def swallowed(sql: Sql, event: str, table: str) -> Iterator[None]:
    """Within the block, discard every inserted or updated row without an error."""
    sql("CREATE OR REPLACE FUNCTION public.swallow() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END'")
    sql(f"CREATE TRIGGER swallow BEFORE {event} ON {table} FOR EACH ROW EXECUTE FUNCTION public.swallow()")
    try:
        yield
    finally:
        sql(f"DROP TRIGGER swallow ON {table}")


def test_a_new_pet_is_given_up(garage: Garage, sql: Sql) -> None:
    with swallowed(sql, "INSERT", "registry.own_pet"):
        assert garage.ask(ANA, "POST", f"{CITIZEN}/{ANA}/pets", PET).status_code == 503


def test_a_new_vehicle_its_change_and_its_removal_are_given_up(garage: Garage, sql: Sql) -> None:
    vehicle = garage.registered(ANA)["id"]
    with swallowed(sql, "INSERT OR UPDATE", "registry.vehicle"):
        assert garage.register(ANA).status_code == 503
        assert garage.vehicle(ANA, vehicle, "PATCH", {"color": "Verde"}).status_code == 503
        assert garage.vehicle(ANA, vehicle, "DELETE").status_code == 503


def test_an_invitation_its_answer_and_its_end_are_given_up(garage: Garage, sql: Sql) -> None:
    vehicle = garage.registered(BRUNO)["id"]
    link = garage.invited(BRUNO, vehicle, ANA)
    with swallowed(sql, "INSERT OR UPDATE", "registry.vehicle_conductor"):
        assert garage.invite(BRUNO, vehicle, DAVI).status_code == 503
        assert garage.answer(ANA, link).status_code == 503
        assert garage.unlink(BRUNO, vehicle, link).status_code == 503


def test_a_binding_of_a_phone_is_given_up(garage: Garage, sql: Sql) -> None:
    with swallowed(sql, "INSERT", "registry.phone_book"):
        body = {"cpf": ANA, "channel": "whatsapp"}
        assert garage.ask(ANA, "POST", "/registry/v1/phone/+5521987650001/bind", body).status_code == 503
