"""Clients that start, abort and roll back search schema migrations while others write (rules: search 4.5)."""

import random
import time
from collections.abc import Sequence

import httpx

from tests.histories.recorder import Ask, Told

ACTOR = "marina"
PATH = "/search/api/v1/admin/migration"
VERSIONS = ("v1", "v2", "v3")
KEY = "services"  # the only collection, to which the `service` clients write
TURN_SECONDS = 2.0


class SchemaOfServices:
    """Staff who read the progress of the migration, and every few seconds start, abort or roll back a migration."""

    name = "migration"

    def __init__(self, _: range) -> None:
        self.keys = [KEY]
        self.turns = 0
        self._next = 0.0

    def reads(self, key: str) -> Sequence[Ask]:
        return (
            Ask(key, ACTOR, "GET", f"{PATH}/status", {"do": "read"}, _told),
            Ask(key, ACTOR, "GET", f"{PATH}/schemas", {"do": "schemas"}, _shown),
        )

    def choose(self, key: str, chance: random.Random) -> Ask:
        now = time.monotonic()
        if now < self._next:
            return self.reads(key)[chance.random() < 0.3]
        self._next = now + TURN_SECONDS * chance.uniform(0.5, 1.5)
        self.turns += 1
        kind = chance.random()
        if kind < 0.5:
            version = chance.choice(VERSIONS)
            asked = {"do": "start", "version": version}
            return Ask(key, ACTOR, "POST", f"{PATH}/start", asked, _told, {"schema_version": version}, (0,))
        if kind < 0.65:
            return Ask(key, ACTOR, "POST", f"{PATH}/abort", {"do": "abort"}, _told, {}, (0,))
        return Ask(key, ACTOR, "POST", f"{PATH}/rollback", {"do": "rollback"}, _told, {}, (0,))


def _told(answer: httpx.Response) -> Told:
    if not answer.is_success:
        return {"status": answer.status_code, "code": answer.headers.get("Error-Code", "")}
    run = answer.json()
    return {
        "status": 200,
        "run": run.get("migration_id") or answer.headers.get("X-Migration-ID", ""),
        "state": run["status"],
        "version": run["schema_version"],
    }


def _shown(answer: httpx.Response) -> Told:
    return {"status": 200, "version": answer.raise_for_status().json()["current_version"]}
