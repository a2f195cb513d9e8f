"""`balcao panel` runs the panel in its own processes, which call the services by their addresses."""

import signal
from collections.abc import Iterator
from pathlib import Path

import httpx
import psutil
import pytest

from tests.support.fixture_types import Sql
from tests.support.panel import PanelClient
from tests.support.polling import PATIENCE, until_now
from tests.support.sandbox import Sandbox
from tests.support.server import free_port
from tests.support.terminal import Serving, Terminal, ended

pytestmark = pytest.mark.long


def make_terminal(sandbox: Sandbox, folder: Path, **changes: object) -> Terminal:
    """Return a terminal for `balcao panel` next to the running platform. The panel has its own database login."""
    own = sandbox.database_url.replace("//balcao@", "//balcao_panel@")
    settings = {
        "port": sandbox.settings.port,
        "database_url": sandbox.database_url,
        "panel_port": free_port(),
        "panel_database_url": own,
        "data_dir": folder,
    }
    return Terminal(folder, **(settings | changes))


@pytest.fixture(scope="module")
def terminal(sandbox: Sandbox, tmp_path_factory: pytest.TempPathFactory) -> Terminal:
    return make_terminal(sandbox, tmp_path_factory.mktemp("panel"), panel_management_port=free_port())


@pytest.fixture(scope="module")
def serving(terminal: Terminal) -> Iterator[Serving]:
    with Serving(terminal, "--processes", "2", command="panel") as running:
        yield running


@pytest.fixture
def url(terminal: Terminal, serving: Serving) -> str:
    return f"http://127.0.0.1:{terminal.environment['BALCAO_PANEL_PORT']}"


def test_who_logs_in_at_one_process_is_known_to_the_others_and_sees_what_the_services_say(
    url: str, serving: Serving
) -> None:
    assert f"{url}/painel" in serving.said
    with PanelClient(url) as panel:
        panel.login("kleber", "/painel/operacao/tarefas")
        assert panel.page.heading == "Tarefas paradas"
        for _ in range(8):  # new connections, so that both processes respond
            page = httpx.get(f"{url}/painel", cookies=panel.http.cookies, timeout=PATIENCE)
            assert "O que espera por mim" in page.text


def test_it_serves_the_panel_and_nothing_else(url: str) -> None:
    assert httpx.get(url, timeout=PATIENCE).headers["location"] == "/painel"
    for path in ("/registry/v1/health", "/access/api/v1/check", "/metrics", "/docs"):
        assert httpx.get(url + path, timeout=PATIENCE).status_code == 404


def test_gateways_and_who_watches_are_told_how_it_stands(url: str, terminal: Terminal) -> None:
    assert httpx.get(f"{url}/liveness", timeout=PATIENCE).json()["service"] == "panel"
    assert httpx.get(f"{url}/painel/readiness", timeout=PATIENCE).json()["checks"] == {
        "database": True,
        "overall": True,
    }
    management = f"http://127.0.0.1:{terminal.environment['BALCAO_PANEL_MANAGEMENT_PORT']}"
    until_now(lambda: httpx.get(f"{management}/readiness", timeout=PATIENCE).status_code == 200)
    checks = httpx.get(f"{management}/readiness", timeout=PATIENCE).json()["checks"]
    assert {"panel-0", "panel-1", "database"} <= checks.keys()
    assert 'service="panel"' in httpx.get(f"{management}/metrics", timeout=PATIENCE).text


def test_no_process_of_it_knows_the_services_login(serving: Serving) -> None:
    processes = serving.processes("panel")
    assert len(processes) == 2
    for process in processes:
        assert not {"BALCAO_DATABASE_URL", "BALCAO_DATABASE_OWNER_URL"} & process.environ().keys()


def test_a_signal_ends_it_in_order_with_all_that_it_started(sandbox: Sandbox, tmp_path: Path) -> None:
    with Serving(make_terminal(sandbox, tmp_path), command="panel") as running:
        family: list[psutil.Process] = running.family()
        running.process.send_signal(signal.SIGTERM)
        assert running.process.wait(PATIENCE) == 0
        assert ended(family)


def test_a_login_that_may_not_take_the_panels_role_is_told_the_statements_for_an_administrator(
    sandbox: Sandbox, tmp_path: Path
) -> None:
    other = sandbox.database_url.replace("//balcao@", "//balcao_app@")
    said = make_terminal(sandbox, tmp_path, panel_database_url=other).refusal("panel")
    assert "GRANT balcao_panel TO balcao_app;" in said
    assert "BALCAO_PANEL=false" in said
    said = make_terminal(sandbox, tmp_path, panel_database_role="painel_de_ninguem").refusal("panel")
    assert "CREATE ROLE painel_de_ninguem LOGIN" in said
    assert "o papel não existe" in said


def test_a_database_that_lacks_a_migration_of_the_panel_is_told_so(sandbox: Sandbox, tmp_path: Path, sql: Sql) -> None:
    (missing,) = sql("DELETE FROM platform.migration WHERE owner = 'panel' AND name LIKE '0001%' RETURNING *")
    try:
        assert "execute `balcao migrate`" in make_terminal(sandbox, tmp_path).refusal("panel")
    finally:
        sql(
            "INSERT INTO platform.migration (owner, name, digest) VALUES ($1, $2, $3)",
            missing["owner"],
            missing["name"],
            missing["digest"],
        )


def test_production_refuses_the_panel_without_secrets_of_its_own_and_asks_for_none_of_the_services(
    sandbox: Sandbox, tmp_path: Path
) -> None:
    said = make_terminal(sandbox, tmp_path, profile="production", panel_database_url="").refusal("panel")
    for variable in ("AUTH_ISSUER", "PANEL_CLIENT_SECRET", "PANEL_KEY", "PANEL_DATABASE_URL"):
        assert f"BALCAO_{variable}" in said
    assert "BALCAO_HASH_KEY" not in said
