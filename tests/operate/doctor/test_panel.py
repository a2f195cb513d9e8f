"""Doctor's findings about the panel: its database role, and its client at the identity provider."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from balcao.core.context.processes import SINGLE_PROCESS
from balcao.operate.doctor.checks import Part, Subject
from balcao.operate.doctor.panel import CHECK
from balcao.panel import standalone
from balcao.settings import Settings
from tests.support.sandbox import EmbeddedTokens, Sandbox, running
from tests.support.server import RunningServer, free_port


@pytest.fixture(scope="module")
def sandbox(database_url: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sandbox]:
    settings = Settings(data_dir=tmp_path_factory.mktemp("data"), port=free_port())
    with running(settings, database_url, EmbeddedTokens(settings.issuers[0])) as opened:
        yield opened


async def examine(sandbox: Sandbox, **changes: Any) -> Part:
    """Run doctor's panel check on an installation that has the panel and uses the running provider."""
    found = await look(sandbox, Path("/"), **changes)
    assert found is not None
    return found


async def look(sandbox: Sandbox, root: Path, **changes: Any) -> Part | None:
    own = {
        "database_url": sandbox.database_url,
        "panel_database_url": sandbox.database_url.replace("//balcao@", "//balcao_panel@"),
        "auth_issuer": sandbox.settings.issuers[0],
        "public_url": sandbox.url,
    }
    settings = Settings.load({f"BALCAO_{name.upper()}": value for name, value in (own | changes).items()})
    async with httpx.AsyncClient() as http:
        return await CHECK.examine(Subject(settings, http, root))


async def test_a_panel_with_which_nothing_is_wrong(sandbox: Sandbox) -> None:
    found = await examine(sandbox)
    assert (found.state, found.problems) == ("up", [])
    assert found.details == {"database": True, "client": True, "return_address": True}


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"panel_client_secret": "outro segredo"}, "BALCAO_PANEL_CLIENT_SECRET"),
        ({"panel_client_id": "ninguem"}, "recusou o cliente do painel, ninguem"),
        ({"panel_url": "https://painel.example"}, "não aceita https://painel.example/painel/retorno"),
        ({"panel_database_role": "ninguem"}, "CREATE ROLE ninguem LOGIN"),
    ],
)
async def test_each_fault_is_told_by_what_mends_it(sandbox: Sandbox, changes: dict[str, str], said: str) -> None:
    (problem,) = (await examine(sandbox, **changes)).problems
    assert said in problem


async def test_a_provider_that_is_away_is_told_by_its_own_check(sandbox: Sandbox) -> None:
    found = await examine(sandbox, auth_issuer="http://127.0.0.1:9/realms/cidade")
    assert (found.state, found.problems) == ("up", [])


async def test_a_demonstration_that_does_not_run_has_nothing_wrong(sandbox: Sandbox, tmp_path: Path) -> None:
    found = await examine(sandbox, database_url="", panel_database_url="", auth_issuer="", data_dir=str(tmp_path))
    assert (found.state, found.problems) == ("stopped", [])


async def test_a_panel_apart_is_looked_at_while_it_answers_and_where_it_is_to_be_started(
    sandbox: Sandbox, tmp_path: Path
) -> None:
    apart = {"panel": "false", "panel_port": str(free_port()), "panel_client_secret": "outro segredo"}
    assert await look(sandbox, tmp_path, **apart) is None
    settings = sandbox.settings.model_copy(update={"panel_port": int(apart["panel_port"])})
    with RunningServer(standalone.build(settings, sandbox.database_url, SINGLE_PROCESS), settings.panel_port):
        answering = await look(sandbox, tmp_path, **apart)
    enabled = tmp_path / "etc/systemd/system/multi-user.target.wants"
    enabled.mkdir(parents=True)
    (enabled / "balcao-panel.service").symlink_to("/nowhere")
    for found in (answering, await look(sandbox, tmp_path, **apart)):
        assert found is not None
        (problem,) = found.problems
        assert "BALCAO_PANEL_CLIENT_SECRET" in problem


async def test_another_program_at_the_panels_port_is_no_panel(sandbox: Sandbox, tmp_path: Path) -> None:
    assert await look(sandbox, tmp_path, panel="false", panel_port=str(sandbox.settings.port)) is None
