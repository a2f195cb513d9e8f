"""Clients that repeat creations with the same idempotency key (rules: registry 1.1, *Repeats*)."""

import random
from collections.abc import Sequence

import httpx

from balcao.core.values.cpf import Cpf
from tests.histories.recorder import Ask, Told

ACTOR = "marina"
CITIZENS = 8
REPEATED = 6  # number of idempotency keys per citizen
PET = {
    "especie_nome": "Gato",
    "sexo_sigla": "F",
    "nascimento_data": "2020-01-01",
    "indicador_castrado": False,
    "raca_nome": "",
    "porte_nome": "",
}


class RepeatedCreations:
    """Staff who list and register pets, often with an idempotency key that was already used.

    They may repeat a key with another pet's name.
    """

    name = "repeat"

    def __init__(self, citizens: range) -> None:
        self.keys = [Cpf.with_stem(f"97{number:07}").digits for number in citizens[:CITIZENS]]

    def reads(self, key: str) -> Sequence[Ask]:
        return [Ask(key, ACTOR, "GET", f"{_path(key)}?per_page=100", {"do": "read"}, _listed)]

    def choose(self, key: str, chance: random.Random) -> Ask:
        if chance.random() < 0.35:
            return self.reads(key)[0]
        repeated, name = f"{key[:9]}-{chance.randrange(REPEATED)}", chance.choice(("Mimi", "Lua"))
        asked = {"do": "create", "key": repeated, "name": name}
        body = PET | {"animal_nome": name}
        # A repeated request adds no audit event.
        return Ask(key, ACTOR, "POST", _path(key), asked, _made, body, (0, 1), {"Idempotency-Key": repeated})


def _path(cpf: str) -> str:
    return f"/registry/v1/citizen/{cpf}/pets"


def _listed(answer: httpx.Response) -> Told:
    return {"status": 200, "pets": sorted(pet["id_animal"] for pet in answer.raise_for_status().json()["data"])}


def _made(answer: httpx.Response) -> Told:
    return {"status": answer.status_code, "pet": answer.json()["id_animal"] if answer.is_success else 0}
