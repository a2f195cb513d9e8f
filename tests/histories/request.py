"""Clients that create, advance, answer, reopen and rate requests. The CRM moves their cases (rules: registry 4.20)."""

import random
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

import httpx

from balcao_sandbox.identity.demo import people_by_login
from tests.histories.own import CITIZENS
from tests.histories.recorder import REFUSED, Ask, Call, Told, make_mark

STAFF = "marina"
TYPE = {"type": "lampada_apagada", "version": 1}
ANSWERS = {"problema": "apagada", "local": {"address": "Rua das Acácias, 120"}}
ADMIN = "/registry/v1/admin/maintenance-requests"
OPEN = ("Aberto", "Em andamento")
MOST_STEPS = 60  # each response repeats all steps, so a longer request would make the history too large
# Staff often ask for information or finish, so that citizens can often answer, reopen and rate.
STEPS = ("in_progress", "needs_information", "needs_information", "done", "done", "refused", None)
# The CRM's statuses, with a message for the citizen.
MOVES = (
    ("Em andamento", None),
    ("Em andamento", "A equipe está a caminho."),
    ("Aguardando informação", "Qual é o ponto de referência?"),
    ("Fechado com solução", "O serviço está pronto."),
    ("Fechado sem solução", "O poste é de outra empresa."),
)


class RequestsOfCitizens:
    """Citizens with one request each. Staff and the CRM's own staff handle the requests.

    A creation is often repeated with its idempotency key. Other successful writes are repeated too. `_numbers` contains
    the request numbers that responses have shown.
    """

    name = "request"

    def __init__(self, _: range) -> None:
        self.keys = list(CITIZENS)
        self._marks = {key: make_mark(self.name) for key in self.keys}
        self._numbers: dict[str, str] = {}
        self._steps: dict[str, int] = {}
        self._done: dict[str, Ask] = {}

    async def prepare(self, call: Call) -> None:
        """Close the requests of earlier rounds, because a citizen may have 20 open ones."""
        for key in self.keys:
            listed = (await call(STAFF, "GET", f"{_path(key)}?per_page=100")).json()["data"]
            for ticket in listed:
                if str(ticket["descricao"]).startswith("marca-") and ticket["status"] in OPEN:
                    with suppress(httpx.HTTPStatusError):  # unless the CRM has closed it in the meantime
                        await call(STAFF, "POST", f"{ADMIN}/{ticket['id']}/steps", {"state": "done"})

    def reads(self, key: str) -> Sequence[Ask]:
        listed = Ask(
            key, key, "GET", f"{_path(key)}?per_page=100", {"do": "list"}, lambda answer: self._listed(key, answer)
        )
        if key not in self._numbers:
            return [listed]
        return [listed, self._ask(key, key, "GET", f"{_path(key)}/{self._numbers[key]}", {"do": "read"})]

    def choose(self, key: str, chance: random.Random) -> Ask:
        kind, number = chance.random(), self._numbers.get(key)
        if number is None or kind < 0.08:
            return self._create(key)
        if kind < 0.25 or self._steps.get(key, 0) > MOST_STEPS:
            return chance.choice(self.reads(key))
        if kind < 0.33 and key in self._done:
            return replace(self._done[key], events=(0,))
        if kind < 0.43:
            return _move(key, number, chance)
        own, mark = f"{_path(key)}/{number}", make_mark(self.name)
        if kind < 0.65:
            state = chance.choice(STEPS)
            asked = {"do": "step", "step": f"staff:{state or ''}:{mark}"}
            body: dict[str, Any] = {"text": mark} | ({"state": state} if state else {})
            return self._ask(key, STAFF, "POST", f"{ADMIN}/{number}/steps", asked, body, mark)
        if kind < 0.8:
            asked = {"do": "answer", "step": f"citizen:in_progress:{mark}"}
            return self._ask(key, key, "POST", f"{own}/answer", asked, {"text": mark}, mark)
        if kind < 0.92:
            asked = {"do": "reopen", "step": f"citizen:reopened:{mark}"}
            return self._ask(key, key, "POST", f"{own}/reopening", asked, {"text": mark}, mark)
        stars = chance.randint(1, 5)
        rating = {"stars": stars, "comment": mark}
        return self._ask(key, key, "POST", f"{own}/rating", {"do": "rate", "stars": stars}, rating)

    def _create(self, key: str) -> Ask:
        mark = self._marks[key]
        body = {**TYPE, "answers": ANSWERS | {"detalhes": mark}}

        def made(answer: httpx.Response) -> Told:
            if answer.status_code == 201:
                self._numbers[key] = answer.json()["number"]
            return {"status": answer.status_code, "number": answer.json().get("number", "")}

        # A repeated creation adds no audit event.
        return Ask(key, key, "POST", _path(key), {"do": "create"}, made, body, (0, 1), {"Idempotency-Key": mark})

    def _ask(
        self,
        key: str,
        actor: str,
        method: str,
        path: str,
        asked: Mapping[str, Any],
        body: Mapping[str, Any] | None = None,
        repeatable: str = "",
    ) -> Ask:
        """Return a call whose successful response is the citizen's request. `repeatable` is its idempotency key."""

        def told(answer: httpx.Response) -> Told:
            if answer.status_code != 200:
                return {"status": answer.status_code}
            if repeatable:
                self._done[key] = ask
            shown = _show(answer)
            self._steps[key] = len(shown["steps"])
            return shown

        headers = {"Idempotency-Key": repeatable} if repeatable else {}
        ask = Ask(key, actor, method, path, asked, told, body, headers=headers)
        return ask

    def _listed(self, key: str, answer: httpx.Response) -> Told:
        """Return the numbers of the requests with the key's mark. There must be at most one."""
        tickets = answer.raise_for_status().json()["data"]
        numbers = [ticket["id"] for ticket in tickets if ticket["descricao"] == self._marks[key]]
        if numbers:
            self._numbers[key] = numbers[0]
        return {"status": 200, "numbers": numbers}


def _move(key: str, number: str, chance: random.Random) -> Ask:
    """Return a change of the case by the CRM's own staff.

    The CRM returns 404 until it has received the case.
    """
    status, message = chance.choice(MOVES)
    body = {"number": number, "status": status} | ({"message": message} if message else {})
    refusals = (404, *REFUSED)
    return Ask(
        key, STAFF, "POST", "/_sandbox/cases", {"do": "move"}, _answered, body, (0,), refusals=refusals, is_in_crm=True
    )


def _path(login: str) -> str:
    return f"/registry/v1/citizen/{people_by_login()[login].cpf}/maintenance-request"


def _answered(answer: httpx.Response) -> Told:
    return {"status": answer.status_code}


def _show(answer: httpx.Response) -> Told:
    """Return the displayed request. Each step is written as `author:state:text`."""
    shown = answer.json()
    steps = [f"{step['author']}:{step['state'] or ''}:{step['text'] or ''}" for step in shown["steps"]]
    return {
        "status": 200,
        "number": shown["number"],
        "state": shown["state"],
        "stars": (shown["rating"] or {}).get("stars", 0),
        "steps": steps,
    }
