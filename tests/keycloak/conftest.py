"""Fixtures: a Keycloak with our realm file, demo people and badly configured clients, and a platform that trusts it."""

import os
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from balcao.settings import Settings
from balcao_sandbox.identity.demo import people
from tests.keycloak.server import Keycloak, KeycloakTokens, demo_user
from tests.support import databases
from tests.support.sandbox import Sandbox, running
from tests.support.server import UNLIMITED, free_port

MISSING = (
    "Estas provas precisam de um Keycloak: ponha o arquivo da distribuição em BALCAO_KEYCLOAK "
    '(`tools/keycloak` o obtém e o mostra), ou deixe-as de fora com -m "not keycloak".'
)


@pytest.fixture(scope="module")
def port() -> int:
    return free_port()


@pytest.fixture(scope="module")
def keycloak(port: int, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Keycloak]:
    archive = os.environ.get("BALCAO_KEYCLOAK")
    if not archive:
        pytest.fail(MISSING, pytrace=False)
    with Keycloak(Path(archive), tmp_path_factory.mktemp("keycloak")) as running_keycloak:
        running_keycloak.import_realm(f"http://127.0.0.1:{port}")
        running_keycloak.add_people(*map(demo_user, people()))
        # The contract also lets a portal call with its own token, which the realm file does not allow.
        running_keycloak.change_client("portal-cidadao", serviceAccountsEnabled=True)
        yield running_keycloak


@pytest.fixture(scope="module")
def settings(keycloak: Keycloak, port: int, tmp_path_factory: pytest.TempPathFactory) -> Settings:
    """Return settings with the lists of clients from docs/operate/install.md."""
    return Settings.load(
        {
            "BALCAO_AUTH_ISSUER": keycloak.issuer,
            "BALCAO_PORT": str(port),
            "BALCAO_REFUSED_RATE": UNLIMITED,
            "BALCAO_DATA_DIR": str(tmp_path_factory.mktemp("data")),
            "BALCAO_MACHINE_CLIENTS": "balcao-platform,crm,agentes-runtime,painel-saude,portal-cidadao",
            "BALCAO_ACCESS_TOKEN_ROLE_CLIENTS": "none",
            "BALCAO_PLATFORM_CLIENTS": "balcao-platform",
            "BALCAO_AGENT_RUNTIME_CLIENTS": "agentes-runtime",
            "CRM_WEBHOOK_CLIENTS": "crm",
        }
    )


@pytest.fixture(scope="module")
def sandbox(keycloak: Keycloak, settings: Settings) -> Iterator[Sandbox]:
    name = databases.new_name()
    with running(settings, databases.create(name), KeycloakTokens(keycloak)) as opened:
        yield opened
    databases.drop(name)


@pytest.fixture(scope="module")
def http(sandbox: Sandbox) -> httpx.Client:
    return sandbox.http
