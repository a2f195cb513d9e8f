"""What `balcao doctor` finds about the panel: its database role, and its client at the provider."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from balcao.operate.doctor.checks import Part, Subject
from balcao.operate.doctor.panel import CHECK
from balcao.settings import Settings
from tests.support.sandbox import EmbeddedTokens, Sandbox, running
from tests.support.server import free_port


@pytest.fixture(scope="module")
def sandbox(database_url: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sandbox]:
    settings = Settings(data_dir=tmp_path_factory.mktemp("data"), port=free_port())
    with running(settings, database_url, EmbeddedTokens(settings.issuers[0])) as opened:
        yield opened


async def examine(sandbox: Sandbox, **changes: Any) -> Part:
    """Look at an installation whose provider is the one that runs."""
    own = {
        "database_url": sandbox.database_url,
        "console_database_url": sandbox.database_url.replace("//balcao@", "//balcao_console@"),
        "auth_issuer": sandbox.settings.issuers[0],
        "public_url": sandbox.url,
    }
    settings = Settings.load({f"BALCAO_{name.upper()}": value for name, value in (own | changes).items()})
    async with httpx.AsyncClient() as http:
        return await CHECK.examine(Subject(settings, http, Path("/")))


async def test_a_panel_with_which_nothing_is_wrong(sandbox: Sandbox) -> None:
    found = await examine(sandbox)
    assert (found.state, found.problems) == ("up", [])
    assert found.details == {"database": True, "client": True, "return_address": True}


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"console_client_secret": "outro segredo"}, "BALCAO_CONSOLE_CLIENT_SECRET"),
        ({"console_client_id": "ninguem"}, "recusou o cliente do painel, ninguem"),
        ({"console_url": "https://painel.example"}, "não aceita https://painel.example/painel/retorno"),
        ({"console_database_role": "ninguem"}, "CREATE ROLE ninguem LOGIN"),
    ],
)
async def test_each_fault_is_told_by_what_mends_it(sandbox: Sandbox, changes: dict[str, str], said: str) -> None:
    (problem,) = (await examine(sandbox, **changes)).problems
    assert said in problem


async def test_a_provider_that_is_away_is_told_by_its_own_check(sandbox: Sandbox) -> None:
    found = await examine(sandbox, auth_issuer="http://127.0.0.1:9/realms/cidade")
    assert (found.state, found.problems) == ("up", [])


async def test_a_demonstration_that_does_not_run_has_nothing_wrong(sandbox: Sandbox, tmp_path: Path) -> None:
    found = await examine(sandbox, database_url="", console_database_url="", auth_issuer="", data_dir=str(tmp_path))
    assert (found.state, found.problems) == ("stopped", [])


def test_it_is_due_where_the_panel_is_on() -> None:
    assert CHECK.is_due(Settings())
    assert not CHECK.is_due(Settings(console=False))
