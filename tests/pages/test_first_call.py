"""The commands in the guide to a first call and in the clients' READMEs work, in each programming language."""

import functools
import os
import shlex
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from balcao.developer_portal import guides
from balcao.settings import Settings
from tests.clients import client_builds
from tests.gateway.test_guides import WITH_CLIENTS, assert_prints, own_environment, read_blocks
from tests.invariants.test_docs_links import parse
from tests.support.polling import PATIENCE
from tests.support.sandbox import EmbeddedTokens, Sandbox, running
from tests.support.server import free_port

pytestmark = [pytest.mark.page, pytest.mark.node, pytest.mark.sdk, pytest.mark.long]

ROOT = Path(__file__).parents[2]

FIRST_UNIT = "Centro Municipal de Saúde do Mercado"
# Tests download nothing. So pip installs only our wheel, next to the tests' own packages, and this script replaces npm.
NPM = f"""#!/bin/sh
cd {shlex.quote(str(ROOT))} && exec {shlex.quote(sys.executable)} -c '
import sys
from pathlib import Path
from tests.clients import client_builds
client_builds.install_typescript(Path(sys.argv[1]), Path(sys.argv[2]))' "$3" "$OLDPWD"
"""
MAKE = "#!/bin/sh\n"


@pytest.fixture(scope="module")
def sandbox(database_url: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sandbox]:
    settings = Settings(data_dir=tmp_path_factory.mktemp("data"), port=free_port())
    with running(settings, database_url, EmbeddedTokens(settings.issuers[0])) as opened:
        yield opened


@pytest.fixture(scope="module")
def address(sandbox: Sandbox) -> str:
    return sandbox.url


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a home directory that contains a clone in which `make clients` has run."""
    home = tmp_path_factory.mktemp("home")
    clients = home / "balcao" / "dist" / "clients"
    clients.mkdir(parents=True)
    for package in (client_builds.build_python_once(), client_builds.build_typescript_once()):
        (clients / package.name).symlink_to(package)
    (home / "balcao" / ".venv").symlink_to(Path(sys.executable).parents[1])
    for name, text in (("npm", NPM), ("make", MAKE)):
        program = home / "bin" / name
        program.parent.mkdir(exist_ok=True)
        program.write_text(text)
        program.chmod(0o755)
    return home


def type_in(text: str, sandbox: Sandbox, home: Path, folder: Path) -> str:
    """Run this text as a shell script with that home directory, and return its output."""
    environment = os.environ | own_environment(sandbox)
    packages = next((Path(sys.executable).parents[1] / "lib").glob("python*")) / "site-packages"
    environment |= {"HOME": str(home), "PATH": f"{home}/bin:{environment['PATH']}", "PYTHONPATH": str(packages)}
    environment |= {"PIP_NO_INDEX": "1", "PIP_NO_DEPS": "1"}
    done = subprocess.run(
        ["bash", "-eu", "-c", text.replace(guides.ADDRESS, sandbox.url)],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
    )
    assert done.returncode == 0, done.stderr + done.stdout
    return done.stdout


@contextmanager
def served(folder: Path) -> Iterator[str]:
    """Serve a folder as `python3 -m http.server` does, and yield the address."""

    class Quiet(SimpleHTTPRequestHandler):
        def log_message(self, *_: object) -> None:
            return

    with ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=folder)) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://localhost:{server.server_port}"
        server.shutdown()


def test_the_guide_leads_to_a_first_call_in_each_language(
    browser: Browser, sandbox: Sandbox, home: Path, tmp_path: Path
) -> None:
    *blocks, (cleared, _) = read_blocks(WITH_CLIENTS)
    for typed, shown in blocks:
        assert_prints(type_in(typed, sandbox, home, tmp_path), shown, typed, sandbox)
    with served(tmp_path) as address:
        page = browser.new_page()
        page.goto(f"{address}/primeira.html")
        expect(page.get_by_role("listitem").first).to_contain_text("acina")
        page.close()
    (tmp_path / "package-lock.json").touch()  # in a real run, npm writes this file
    type_in(cleared, sandbox, home, tmp_path)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("language", "fence", "command"),
    [
        (
            "python",
            "python",
            "python3 -m venv a && a/bin/pip install -q ~/balcao/dist/clients/*.whl && a/bin/python it",
        ),
        ("typescript", "ts", "npm install -s ~/balcao/dist/clients/*.tgz && mv it it.mjs && node it.mjs"),
    ],
)
def test_the_first_example_of_a_readme_runs(
    sandbox: Sandbox, home: Path, tmp_path: Path, language: str, fence: str, command: str
) -> None:
    tokens = parse(ROOT / "clients" / language / "README.md")
    example = next(token.content for token in tokens if token.type == "fence" and token.info == fence)
    (tmp_path / "it").write_text(example.replace(guides.ADDRESS, sandbox.url))
    assert FIRST_UNIT in type_in(command, sandbox, home, tmp_path)
