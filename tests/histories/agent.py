"""Clients that save and activate agent versions (rules: agents 2.2, 4)."""

import random
from collections.abc import Sequence
from typing import Any

import httpx

from tests.histories.recorder import Ask, Told, make_mark

ACTOR = "tereza"
PATH = "/agent/api/v1"


class VersionsOfAgents:
    """Editors who save and activate versions.

    In half of the calls, the editor requires that the version that they saw last is still active.
    """

    name = "agent"

    def __init__(self, agents: range) -> None:
        self.keys = [f"historia_{number}" for number in agents]
        self._seen: dict[str, int] = {}

    def reads(self, key: str) -> Sequence[Ask]:
        def shown(answer: httpx.Response) -> Told:
            if answer.status_code == 404:
                return {"status": 404}
            self._seen[key] = answer.raise_for_status().json()["version"]
            return {"status": 200, "version": self._seen[key]}

        return [Ask(key, ACTOR, "GET", f"{PATH}/agent-config?agent_type={key}", {"do": "read"}, shown)]

    def choose(self, key: str, chance: random.Random) -> Ask:
        kind, seen = chance.random(), self._seen.get(key, 0)
        if kind < 0.4:
            return self.reads(key)[0]
        expected: dict[str, Any] = {"expected_version": seen} if seen and chance.random() < 0.5 else {}
        asked: dict[str, Any] = {"expected": expected.get("expected_version", 0)}
        if kind < 0.7:
            mark = make_mark(self.name)
            body: dict[str, Any] = {"agent_type": key, "prompt_content": mark} | expected
            return Ask(key, ACTOR, "POST", f"{PATH}/unified-save", asked | {"do": "save"}, _saved, body, events=(2,))
        version = chance.randint(1, seen + 1)
        body = {"agent_type": key, "version": version, "reason": "uma história"} | expected
        asked |= {"do": "activate", "version": version}
        return Ask(key, ACTOR, "POST", f"{PATH}/agent-config/activate", asked, _activated, body, events=(0, 1))


def _saved(answer: httpx.Response) -> Told:
    return _told(answer, "unified_version_number")


def _activated(answer: httpx.Response) -> Told:
    return _told(answer, "previous_version")


def _told(answer: httpx.Response, member: str) -> Told:
    return {"status": answer.status_code} | ({"version": answer.json()[member]} if answer.is_success else {})
