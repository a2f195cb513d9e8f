"""The calls of a sender, and the people and numbers in its tests."""

from collections.abc import Sequence
from typing import Any

import httpx

from tests.registry.registry_client import RegistryClient
from tests.support.issuer import Issuer

SENDER, SCOPE = "envios", "rmi:consentimento:check"


def check_path(category: str = "health") -> str:
    return f"/notification-categories/{category}/recipients/check"


class Sender:
    """A machine client that checks the recipients of a mailing."""

    def __init__(self, http: httpx.Client, issuer: Issuer, client: str = SENDER) -> None:
        self.call = RegistryClient(http, issuer.machine(client, SCOPE))

    def send(self, category: str = "health", campaign: str = "gripe-2026", **members: Any) -> httpx.Response:
        return self.call("POST", check_path(category), {"purpose": "public_campaign", "campaign": campaign} | members)

    def check(self, category: str = "health", campaign: str = "gripe-2026", **members: Any) -> list[dict[str, Any]]:
        """Return the answers to a check that must succeed."""
        answer = self.send(category, campaign, **members)
        assert answer.status_code == 200, answer.text
        found: list[dict[str, Any]] = answer.json()["recipients"]
        return found

    def accepting(self, cpfs: Sequence[str], category: str = "health", campaign: str = "gripe-2026") -> list[bool]:
        return [found["accepts"] for found in self.check(category, campaign, cpfs=list(cpfs))]
