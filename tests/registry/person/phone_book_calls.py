"""The phone book's operations on one number, and the people in its tests."""

import itertools
from typing import Any

import httpx

from balcao.core.values.ids import new_id
from balcao.registry.person.citizens.imports import IMPORTS
from tests.registry.import_rows import load
from tests.registry.registry_client import RegistryClient
from tests.support.fixture_types import Sql
from tests.support.issuer import Issuer

ANA, BRUNO, CARLA = "90000000175", "90000000256", "90000000337"
NAMES = {ANA: "Ana Beatriz Moreira", BRUNO: "Bruno Tavares", CARLA: "Carla Nogueira"}
PEOPLE = tuple(NAMES)
_numbers = itertools.count(1)


def load_people(database_url: str, **members: Any) -> None:
    """Store the base records of the three people. `members` are added to each record."""
    lines = [{"cpf": cpf, "nome": name, "nascimento": {"data": "1990-05-17"}} for cpf, name in NAMES.items()]
    load(database_url, IMPORTS[0], *[{"_id": line["cpf"], "source": "test"} | line | members for line in lines])


def new_number() -> str:
    return f"55219{next(_numbers):08}"


class Book:
    """Calls the operations on one number, as staff with all rights or as a person."""

    def __init__(self, http: httpx.Client, issuer: Issuer, sql: Sql, number: str) -> None:
        self.number, self._sql = number, sql
        self.staff = RegistryClient(http, issuer.admin())
        self.people = {cpf: RegistryClient(http, issuer.person(cpf)) for cpf in PEOPLE}

    def post(self, what: str, body: Any = None, who: RegistryClient | None = None) -> httpx.Response:
        return (who or self.staff)("POST", f"/phone/+{self.number}/{what}", body)

    def status(self) -> dict[str, Any]:
        found: dict[str, Any] = self.staff.ok("GET", f"/phone/+{self.number}/status")
        return found

    def bind_own(self, cpf: str) -> httpx.Response:
        return self.post("bind", {"cpf": cpf, "channel": "web"}, self.people[cpf])

    def bind_as_staff(self, cpf: str) -> httpx.Response:
        return self.post("bind", {"cpf": cpf, "channel": "whatsapp"})

    def opt_in(self, cpf: str) -> httpx.Response:
        return self.post("opt-in", {"cpf": cpf, "channel": "whatsapp"})

    def opt_out(self, reason: str) -> httpx.Response:
        return self.post("opt-out", {"channel": "whatsapp", "reason": reason})

    def reject(self, cpf: str) -> httpx.Response:
        return self.post("reject-registration", {"cpf": cpf, "channel": "whatsapp"})

    def quarantine(self) -> httpx.Response:
        return self.post("quarantine")

    def release(self) -> httpx.Response:
        return self.staff("DELETE", f"/phone/+{self.number}/quarantine")

    def prove(self, cpf: str) -> None:
        """Consume a code that was sent to the number, as `POST /citizen/{cpf}/phone/validate` does."""
        opened = new_id()
        self._sql(
            "INSERT INTO registry.phone_verification (cpf, id, ddi, ddd, valor, code_hash, sent_at, "
            "expires_at) VALUES ($1, $2, '55', $3, $4, '', now(), now() + interval '1 hour') "
            "ON CONFLICT (cpf) DO UPDATE SET id = excluded.id, ddi = excluded.ddi, ddd = excluded.ddd, "
            "valor = excluded.valor, used_at = NULL, expires_at = excluded.expires_at",
            *(cpf, opened, self.number[2:4], self.number[4:]),
        )
        assert self._sql("SELECT registry.use_phone_verification($1, $2)", cpf, opened)[0][0]

    def end_quarantine(self) -> None:
        self._sql(
            "UPDATE registry.phone_book SET quarantine_until = now() WHERE number = $1 AND quarantine_until > now()",
            self.number,
        )
