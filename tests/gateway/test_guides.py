"""The commands in the guides print the output that the guides show, and the links between the guides work."""

import contextlib
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from urllib.parse import urljoin

import httpx
import pytest

from balcao.developer_portal import guides, own_calls, search_page
from balcao.developer_portal.operation_pages import ROOTS
from balcao.developer_portal.page import PortalPages
from balcao.settings import Settings
from tests.invariants.test_docs_links import parse
from tests.support.polling import PATIENCE
from tests.support.sandbox import EmbeddedTokens, Sandbox, running
from tests.support.server import free_port

NAMES = sorted(file.stem for file in guides.FOLDER.glob("[a-z]*.md") if not file.name.endswith(".pt-BR.md"))
# tests/pages/test_first_call.py covers this guide, together with the clients.
WITH_CLIENTS = "first-call"
OUTPUTS = {"text", "json"}
# Targets of links on the front page that are not guides.
OTHERS = {ROOTS["pt-BR"], own_calls.PATH, search_page.PATHS["pt-BR"]}
BORDER = "-- end of a block --"
# This character stands for output that a guide omits because it varies.
GAP = "…"


@pytest.fixture(scope="module")
def sandbox(database_url: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sandbox]:
    settings = Settings(data_dir=tmp_path_factory.mktemp("data"), port=free_port(), webhook_private_addresses=True)
    with running(settings, database_url, EmbeddedTokens(settings.issuers[0])) as opened, working(opened):
        yield opened


@contextlib.contextmanager
def working(sandbox: Sandbox) -> Iterator[None]:
    """Run a worker, as `balcao serve` does."""
    environment = os.environ | own_environment(sandbox)
    log = sandbox.settings.data_dir / "worker.log"
    with log.open("wb") as written:
        worker = subprocess.Popen(
            [sys.executable, "-P", "-m", "balcao", "worker"], env=environment, stdout=written, stderr=written
        )
        try:
            yield
        finally:
            worker.terminate()
            worker.wait(PATIENCE)


def own_environment(sandbox: Sandbox) -> dict[str, str]:
    """Return environment variables that make a guide's unchanged commands use this sandbox."""
    programs = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    settings = sandbox.settings
    return {
        "PATH": programs,
        "BALCAO_PORT": str(settings.port),
        "BALCAO_DATA_DIR": str(settings.data_dir),
        "BALCAO_DATABASE_URL": sandbox.database_url,
        "BALCAO_WEBHOOK_PRIVATE_ADDRESSES": str(settings.webhook_private_addresses).lower(),
    }


def read_blocks(name: str) -> list[tuple[str, str]]:
    """Return each command of a guide with the output that the guide shows, or an empty string."""
    fences = [(token.info, token.content) for token in parse(guides.FOLDER / f"{name}.md") if token.type == "fence"]
    assert {language for language, _ in fences} <= {"sh", *OUTPUTS}
    return [
        (typed, shown if kind in OUTPUTS else "")
        for (language, typed), (kind, shown) in pairwise([*fences, ("", "")])
        if language == "sh"
    ]


def type_in(blocks: list[tuple[str, str]], sandbox: Sandbox, folder: Path) -> list[str]:
    """Run the commands in one shell, and return the output of each."""
    script = "".join(f"{typed}\necho; echo '{BORDER}'\n" for typed, _ in blocks)
    done = subprocess.run(
        ["bash", "-eu", "-c", script.replace(guides.ADDRESS, sandbox.url)],
        cwd=folder,
        env=os.environ | own_environment(sandbox),
        capture_output=True,
        text=True,
        timeout=PATIENCE,
    )
    assert done.returncode == 0, done.stderr + done.stdout
    return done.stdout.split(BORDER)[:-1]


def assert_prints(printed: str, shown: str, typed: str, sandbox: Sandbox) -> None:
    """Check that a command printed the output that its guide shows."""
    here = shown.strip().replace(guides.ADDRESS, sandbox.url)
    expected = ".*?".join(re.escape(part) for part in here.split(GAP))
    assert re.fullmatch(expected, printed.strip(), re.DOTALL), f"{typed}\n{printed}"


@pytest.mark.long
@pytest.mark.parametrize("name", [name for name in NAMES if name != WITH_CLIENTS])
def test_the_commands_of_a_guide_print_what_it_says(name: str, sandbox: Sandbox, tmp_path: Path) -> None:
    blocks = read_blocks(name)
    assert any(shown for _, shown in blocks)
    for (typed, shown), printed in zip(blocks, type_in(blocks, sandbox, tmp_path), strict=True):
        assert_prints(printed, shown, typed, sandbox)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.long
def test_a_guide_works_a_second_time(sandbox: Sandbox, tmp_path: Path) -> None:
    """The second time, the platform already has the event."""
    blocks = read_blocks("crm-events")
    for _ in range(2):
        for (typed, shown), printed in zip(blocks, type_in(blocks, sandbox, tmp_path), strict=True):
            assert_prints(printed, shown, typed, sandbox)


@pytest.mark.parametrize("name", NAMES)
def test_no_loop_of_a_guide_is_without_a_limit(name: str) -> None:
    for typed, _ in read_blocks(name):
        assert not re.search(r"\buntil\b|\bwhile (?!\[ \$\(\()", typed), typed


@pytest.mark.long
@pytest.mark.parametrize("path", sorted(guides.list_paths()))
def test_every_link_of_a_page_leads_to_a_page(path: str, sandbox: Sandbox) -> None:
    page = sandbox.http.get(path).raise_for_status()
    links = re.findall(r'href="([^"]+)"', page.text)
    for link in {link for link in links if not link.startswith(("data:", "#"))}:
        target = httpx.get(urljoin(f"{sandbox.url}{path}", link), timeout=PATIENCE, follow_redirects=True)
        assert target.status_code == 200, link
        _, _, anchor = link.partition("#")
        assert not anchor or f'id="{anchor}"' in target.text, link


def test_the_front_door_leads_to_every_guide_and_each_to_the_next(sandbox: Sandbox) -> None:
    front = sandbox.http.get("/docs").text
    shown = [link for link in re.findall(r'href="(/docs/pt-BR/[^"]+)"', front) if link not in OTHERS]
    assert sorted(shown) == sorted(guides.path_of(name, "pt-BR") for name in NAMES)
    for here, following in pairwise(shown):
        assert f'<a href="{following}">' in sandbox.http.get(here).text.split("</main>")[0].rpartition("<p class")[2]


def test_a_guide_names_the_addresses_of_the_installation_and_loads_nothing(sandbox: Sandbox) -> None:
    own = guides.Guides("https://balcao.cidade.example", "https://login.cidade.example/realms/cidade")
    html = own.by_path[guides.path_of("first-login", "en")].html
    assert "ISSUER=https://login.cidade.example/realms/cidade" in html
    assert "https://balcao.cidade.example/registry/v1/" in html
    assert guides.ADDRESS not in html
    page = sandbox.http.get("/docs/en/first-login")
    assert "<script" not in page.text
    assert page.headers["content-security-policy"].startswith("default-src 'none'; style-src 'sha256-")
    assert len(page.content) < 40_000


def test_where_a_city_has_its_own_provider_the_pages_say_that_the_trials_people_open_nothing() -> None:
    own = guides.Guides("https://balcao.cidade.example", "https://login.cidade.example/realms/cidade")
    pages = PortalPages(own, [], {}, has_panel=False, own_clients=None, controls=None)
    shown = [pages.render_front({}), *(pages.render_guide(path) for path in guides.list_paths())]
    for page in shown:
        text = page.body.decode()
        assert "da demonstração" in text or "of the trial" in text
        assert "<code>https://login.cidade.example/realms/cidade</code>" in text
        assert "/realms/cidade/clients" not in text
