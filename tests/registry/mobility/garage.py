"""The people in the mobility tests, and the calls that they make."""

from dataclasses import dataclass, field
from typing import Any

import httpx

from tests.support.issuer import Issuer, bearer

ANA, BRUNO, CARLA, DAVI, FABIO = "90000000175", "90000000256", "90000000337", "90000000418", "90000000680"
PHOTO = "https://storage.googleapis.com/b/photo.jpg"
CATALOGUE = {"brand_id": "brand_brisa", "model_id": "model_brisa_urbana"}
CITIZEN = "/registry/v1/citizen"
ADMIN = "/registry/v1/admin/mobilidade"
MOBILITY = "/registry/v1/mobilidade"
UNKNOWN = "0190a5e4-7c1b-7d3e-8f00-3d1c2b4a5e6f"


def form(**members: Any) -> dict[str, Any]:
    """Return the body that registers a vehicle from the catalogue. Members with the value `...` are left out."""
    whole = {
        "display_name": "Minha bicicleta",
        "color": "Azul",
        "serial_number": "SN-12345",
        "serial_number_photo_url": PHOTO,
        "vehicle_photo_url": PHOTO,
        "has_invoice": False,
        "self_declaration": True,
        **CATALOGUE,
        **members,
    }
    return {name: value for name, value in whole.items() if value is not ...}


@dataclass
class Garage:
    """Calls about vehicles, drivers and the catalogue. `ask` makes a call as a person, or with the given token."""

    http: httpx.Client
    issuer: Issuer
    _tokens: dict[str, dict[str, str]] = field(default_factory=dict)

    def ask(self, who: str, method: str, path: str, body: Any = None, **headers: str) -> httpx.Response:
        if who not in self._tokens:
            self._tokens[who] = bearer(self.issuer.person(who) if who.isdigit() else who)
        return self.http.request(method, path, json=body, headers=self._tokens[who] | headers)

    @property
    def admin(self) -> str:
        return self.issuer.admin()

    def register(self, cpf: str = ANA, body: dict[str, Any] | None = None, **headers: str) -> httpx.Response:
        return self.ask(cpf, "POST", f"{CITIZEN}/{cpf}/vehicles", form() if body is None else body, **headers)

    def registered(self, cpf: str = ANA, **members: Any) -> dict[str, Any]:
        answer = self.register(cpf, form(**members))
        assert answer.status_code == 201, answer.text
        found: dict[str, Any] = answer.json()
        return found

    def vehicle(self, cpf: str, id_: str, method: str = "GET", body: Any = None, **headers: str) -> httpx.Response:
        return self.ask(cpf, method, f"{CITIZEN}/{cpf}/vehicles/{id_}", body, **headers)

    def vehicles(self, cpf: str) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self.ask(cpf, "GET", f"{CITIZEN}/{cpf}/vehicles?per_page=100").json()["data"]
        return found

    def invite(self, owner: str, id_: str, cpf: str, **members: Any) -> httpx.Response:
        body = {"cpf": cpf, "email": "convidado@correio.example"} | members
        return self.ask(owner, "POST", f"{CITIZEN}/{owner}/vehicles/{id_}/conductors", body)

    def invited(self, owner: str, id_: str, cpf: str, **members: Any) -> str:
        answer = self.invite(owner, id_, cpf, **members)
        assert answer.status_code == 201, answer.text
        return str(answer.json()["id"])

    def answer(self, cpf: str, link: str, status: str = "accepted") -> httpx.Response:
        return self.ask(cpf, "PATCH", f"{CITIZEN}/{cpf}/vehicle-invitations/{link}", {"status": status})

    def driving(self, owner: str, id_: str, cpf: str, **members: Any) -> str:
        """Invite a driver, accept as the driver, and return the id of the link."""
        link = self.invited(owner, id_, cpf, **members)
        assert self.answer(cpf, link).status_code == 200
        return link

    def conductors(self, cpf: str, id_: str) -> httpx.Response:
        return self.ask(cpf, "GET", f"{CITIZEN}/{cpf}/vehicles/{id_}/conductors")

    def invitations(self, cpf: str) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self.ask(cpf, "GET", f"{CITIZEN}/{cpf}/vehicle-invitations").json()["data"]
        return found

    def unlink(self, cpf: str, id_: str, link: str) -> httpx.Response:
        return self.ask(cpf, "DELETE", f"{CITIZEN}/{cpf}/vehicles/{id_}/conductors/{link}")

    def brand(self, name: str) -> httpx.Response:
        return self.ask(self.admin, "POST", f"{ADMIN}/vehicle-brands", {"name": name})

    def model(self, brand_id: str, name: str, vehicle_type: str = "bicicleta_eletrica") -> httpx.Response:
        body = {"brand_id": brand_id, "name": name, "vehicle_type": vehicle_type}
        return self.ask(self.admin, "POST", f"{ADMIN}/vehicle-models", body)
