"""Clients that publish, rename, unpublish, delete and restore services, and search (rules: search 4.2, 4.6)."""

import random
import time
from collections.abc import Sequence
from typing import Any
from uuid import uuid4

import httpx

from tests.histories.recorder import MARK, Ask, Call, Told, make_mark

ACTOR = "marina"
PATH = "/search/api/v1"
SERVICES = 6
# While the database is available, every process of the host finds a committed change within this time.
LIMIT_SECONDS = 1.0
# For this time, a service stays published or invisible. This is long enough to notice an outdated search result.
TURN_SECONDS = 3 * LIMIT_SECONDS
SERVICE = {
    "orgao_gestor": ["Secretaria de Conservação"],
    "resumo": "Texto",
    "tema_geral": "Cidade",
    "publico_especifico": ["Público em geral"],
}


class PublishedServices:
    """Editors who change services, and citizens who search for them.

    The key is a word that occurs only in the names of one service. Each saved name also contains a mark, so that a
    search shows which state it read. The `name` of an operation is the mark that searches show after it: an empty
    string for a draft or a deleted service, and None if only the response can tell.
    """

    name = "published"

    def __init__(self, services: range) -> None:
        self.keys = [f"zimbro{uuid4().hex[:10]}" for _ in services[:SERVICES]]
        self.ids: dict[str, str] = {}
        self._deleted: set[str] = set()

    async def prepare(self, call: Call) -> None:
        for key in self.keys:
            body = SERVICE | {"nome_servico": f"{key} {make_mark(self.name)}"}
            self.ids[key] = (await call(ACTOR, "POST", f"{PATH}/admin/services", body)).json()["id"]

    def reads(self, key: str) -> Sequence[Ask]:
        return [Ask(key, ACTOR, "GET", f"{PATH}/search?q={key}", {"do": "search", "may_lag": True}, _found)]

    def choose(self, key: str, chance: random.Random) -> Ask:
        return self.reads(key)[0] if chance.random() < 0.5 else self.change(key, chance)

    def change(self, key: str, chance: random.Random) -> Ask:
        """Return a random write for the key's service.

        The time and the key decide whether it publishes or hides the service.
        """
        if key in self._deleted:
            body = {"to_version": 1, "change_reason": "uma história"}
            return self._ask(key, "POST", "/rollback", "restore", None, body, events=(0, 1))
        is_shown = (int(time.monotonic() / TURN_SECONDS) + self.keys.index(key)) % 2
        kind = chance.random()
        if kind < 0.6:
            mark = make_mark(self.name)
            body = SERVICE | {"nome_servico": f"{key} {mark}", "status": is_shown}
            return self._ask(key, "PUT", "", "save", mark if is_shown else "", body)
        if is_shown:
            return self._ask(key, "PATCH", "/publish", "publish", None, events=(0, 1))
        if kind < 0.9:
            return self._ask(key, "PATCH", "/unpublish", "unpublish", "", events=(0, 1))
        return self._ask(key, "DELETE", "", "delete", "")

    def _ask(
        self,
        key: str,
        method: str,
        path: str,
        do: str,
        name: str | None,
        body: dict[str, Any] | None = None,
        events: Sequence[int] = (1,),
    ) -> Ask:
        path = f"{PATH}/admin/services/{self.ids[key]}{path}"
        told = lambda answer: self._stored(key, answer)  # noqa: E731 - binds the key
        return Ask(key, ACTOR, method, path, {"do": do, "name": name}, told, body, events)

    def _stored(self, key: str, answer: httpx.Response) -> Told:
        """Return the mark that searches show from now on: an empty string if they no longer find the service."""
        if answer.status_code in (204, 404):
            self._deleted.add(key)
        if answer.status_code != 200:
            return {"status": answer.status_code, "name": ""}
        self._deleted.discard(key)
        stored = answer.json()
        return {"status": 200, "name": _read_marks(stored["nome_servico"]) if stored["status"] == 1 else ""}


def _found(answer: httpx.Response) -> Told:
    titles = [hit["title"] for hit in answer.raise_for_status().json()["results"]]
    return {"name": " ".join(_read_marks(title) or title for title in titles)}


def _read_marks(name: str) -> str:
    return " ".join(MARK.findall(name))
