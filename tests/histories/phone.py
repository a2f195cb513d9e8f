"""Clients that claim phone numbers and record consent for messages (rules: registry 4.13)."""

import random
from collections.abc import Sequence

import httpx

from balcao.core.values.cpf import Cpf
from balcao_sandbox.identity.demo import people_by_login
from tests.histories.recorder import Ask, Call, Told

ACTOR = "marina"
# A citizen may claim at most three numbers without proof, so the clients use three keys.
CITIZENS = ("elisa", "fabio", "iara", "katia")
NUMBERS = 3


class NumbersOfPhones:
    """Citizens who claim free numbers, and staff who record consent, withdrawal, quarantine and release."""

    name = "phone"

    def __init__(self, _: range) -> None:
        self.keys = [f"+552197{number:07}" for number in range(NUMBERS)]

    async def prepare(self, call: Call) -> None:
        """Free all numbers. A quarantine ends the binding, and the number is free when the quarantine ends."""
        for key in self.keys:
            await call(ACTOR, "POST", f"{_path(key)}/quarantine")
            await call(ACTOR, "DELETE", f"{_path(key)}/quarantine")

    def reads(self, key: str) -> Sequence[Ask]:
        return [Ask(key, ACTOR, "GET", f"{_path(key)}/status", {"do": "read"}, _shown)]

    def choose(self, key: str, chance: random.Random) -> Ask:
        kind, person = chance.random(), chance.choice(CITIZENS)
        if kind < 0.35:
            return self.reads(key)[0]
        cpf = people_by_login()[person].cpf
        asked, who = {"person": person}, {"cpf": cpf, "channel": "whatsapp"}
        if kind < 0.6:
            return Ask(key, person, "POST", f"{_path(key)}/bind", asked | {"do": "bind"}, _answered, who)
        if kind < 0.75:
            return Ask(key, ACTOR, "POST", f"{_path(key)}/opt-in", asked | {"do": "opt-in"}, _answered, who, (0, 1))
        if kind < 0.9:
            body = {"channel": "whatsapp", "reason": "too_many_messages"}
            return Ask(key, ACTOR, "POST", f"{_path(key)}/opt-out", {"do": "opt-out"}, _answered, body, (0, 1))
        path = f"{_path(key)}/quarantine"
        if kind < 0.93:
            return Ask(key, ACTOR, "POST", path, {"do": "quarantine"}, _answered)
        return Ask(key, ACTOR, "DELETE", path, {"do": "release"}, _answered)


def _path(number: str) -> str:
    return f"/registry/v1/phone/{number}"


def _answered(answer: httpx.Response) -> Told:
    """Return the response's status, and its member `status` if it was successful."""
    return {"status": answer.status_code, "word": answer.json()["status"] if answer.is_success else ""}


def _shown(answer: httpx.Response) -> Told:
    """Return the number's owner, identified by the masked CPF. The masked CPFs of these citizens all differ."""
    shown = answer.raise_for_status().json()
    people = {Cpf(people_by_login()[name].cpf).masked: name for name in CITIZENS}
    return {
        "status": 200,
        "person": people.get(shown["cpf"] or "", ""),
        "opted_in": bool(shown["opt_in"]),
        "quarantined": shown["quarantined"],
    }
