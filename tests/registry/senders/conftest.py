"""Fixtures for a sender."""

import httpx
import pytest

from tests.registry.senders.sender_calls import Sender
from tests.support.issuer import Issuer


@pytest.fixture
def sender(http: httpx.Client, issuer: Issuer) -> Sender:
    return Sender(http, issuer)
