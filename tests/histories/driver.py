"""Clients that invite drivers to a vehicle, accept or reject invitations, and remove drivers (rules: registry 4.8)."""

import random
from collections.abc import Sequence
from typing import Any

import httpx

from balcao.core.values.cpf import Cpf
from tests.histories.recorder import Ask, Call, Told

ACTOR = "marina"
DRIVERS = {Cpf.with_stem(stem): stem for stem in ("941230001", "945670002", "948900003")}
VEHICLES = 6
BOTH = (2,)  # one audit event for the owner, and one for the driver
VEHICLE = {
    "display_name": "Bicicleta",
    "color": "Azul",
    "serial_number": "ABC-1234",
    "serial_number_photo_url": "https://storage.googleapis.com/fotos/numero.jpg",
    "vehicle_photo_url": "https://storage.googleapis.com/fotos/veiculo.jpg",
    "has_invoice": False,
    "self_declaration": True,
    "brand_other": "Marca",
    "model_other": "Modelo",
    "vehicle_type": "bicicleta_eletrica",
}


class DriversOfVehicles:
    """Staff who act for owners and drivers.

    `_links` contains the last link that a response showed, which may have ended since.
    """

    name = "driver"

    def __init__(self, vehicles: range) -> None:
        self.keys = [Cpf.with_stem(f"96{number:07}").digits for number in vehicles[:VEHICLES]]  # the CPFs of the owners
        self._vehicles: dict[str, str] = {}
        self._links: dict[tuple[str, str], str] = {}

    async def prepare(self, call: Call) -> None:
        for owner in self.keys:
            made = await call(ACTOR, "POST", f"/registry/v1/citizen/{owner}/vehicles", VEHICLE)
            self._vehicles[owner] = made.json()["id"]

    def reads(self, key: str) -> Sequence[Ask]:
        return [Ask(key, ACTOR, "GET", self._path(key), {"do": "read"}, lambda answer: self._listed(key, answer))]

    def choose(self, key: str, chance: random.Random) -> Ask:
        kind, (driver, stem) = chance.random(), chance.choice(list(DRIVERS.items()))
        if kind < 0.35:
            return self.reads(key)[0]
        asked: dict[str, Any] = {"driver": stem}
        link = self._links.get((key, stem))
        if kind < 0.6 or link is None:
            body = {"cpf": driver.digits, "email": f"{stem}@correio.example"}
            told = lambda answer: self._invited(key, stem, answer)  # noqa: E731 - binds key and driver
            return Ask(key, ACTOR, "POST", self._path(key), asked | {"do": "invite"}, told, body, BOTH)
        asked |= {"id": link}
        if kind < 0.8:
            status = chance.choice(("accepted", "rejected"))
            path = f"/registry/v1/citizen/{driver.digits}/vehicle-invitations/{link}"
            return Ask(key, ACTOR, "PATCH", path, asked | {"do": status}, _answered, {"status": status}, BOTH)
        return Ask(key, ACTOR, "DELETE", f"{self._path(key)}/{link}", asked | {"do": "remove"}, _answered, events=BOTH)

    def _path(self, owner: str) -> str:
        return f"/registry/v1/citizen/{owner}/vehicles/{self._vehicles[owner]}/conductors"

    def _invited(self, key: str, stem: str, answer: httpx.Response) -> Told:
        if answer.status_code != 201:
            return _answered(answer)
        self._links[key, stem] = answer.json()["id"]
        return {"status": 201, "id": self._links[key, stem]}

    def _listed(self, key: str, answer: httpx.Response) -> Told:
        """Return the links by driver. A driver is identified by the masked CPF."""
        drivers = {driver.masked: stem for driver, stem in DRIVERS.items()}
        links: dict[str, Any] = {}
        found = answer.raise_for_status().json()["data"]
        for one in found:
            stem = drivers[one["conductor_cpf"]]
            links[stem] = {"id": one["id"], "status": one["status"]}
            self._links[key, stem] = one["id"]
        return {"status": 200, "links": links, "count": len(found)}


def _answered(answer: httpx.Response) -> Told:
    return {"status": answer.status_code}
