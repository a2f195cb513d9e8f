"""install.sh from a wheel to production, with Debian's PostgreSQL and HAProxy, a real Keycloak and a city's data."""

import json
import os
import secrets
import shlex
import signal
import ssl
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest
from pydantic import SecretStr

from balcao.settings import Settings
from balcao_sandbox.identity.demo import people
from tests.cluster.postgres import Postgres
from tests.contract.table import CASES
from tests.contract.test_contract import check
from tests.keycloak.server import Keycloak, KeycloakTokens, demo_user
from tests.support.crm import RunningCrm, crm_settings
from tests.support.gateways import find
from tests.support.polling import PATIENCE
from tests.support.proof_sizes import size
from tests.support.sandbox import Sandbox
from tests.support.server import free_port
from tests.support.terminal import open_folder, remove

pytestmark = [pytest.mark.keycloak, pytest.mark.haproxy]
ROOT = Path(__file__).parents[3]
SCRIPT = ROOT / "docs/operate/install.sh"
PEOPLE = size(1_000, 100_000)
HBA = "host all postgres 127.0.0.1/32 trust\nhost all all 127.0.0.1/32 scram-sha-256\n"
# The city's own settings. The contract tests let a portal call with its own token.
LISTS = """
BALCAO_MACHINE_CLIENTS=balcao-platform,crm,agentes-runtime,painel-saude,portal-cidadao
BALCAO_CRM_URL={crm}
BALCAO_CRM_CLIENT_ID=balcao-crm
BALCAO_CRM_CLIENT_SECRET={secret}
BALCAO_CLIENT_SECRET={own}
"""


@contextmanager
def debians_postgres() -> Iterator[Postgres]:
    """Run PostgreSQL, from Debian's package if it is installed. The services log in with passwords."""
    folder = open_folder()
    made = Postgres(folder)
    if packaged := sorted(Path("/usr/lib/postgresql").glob("*/bin")):
        made.binaries = packaged[-1]
    made.prepare()
    made.run("initdb", "-D", made.data, "--auth=trust", "-U", "postgres", "--encoding=UTF8", "--locale=C")
    (made.data / "pg_hba.conf").write_text(HBA)
    with made:
        yield made
    remove(folder)


@dataclass(frozen=True)
class Installation:
    """A finished installation: the script's output, its folder, its public address, and the servers it uses."""

    said: str
    folder: Path
    url: str
    keycloak: Keycloak
    crm: RunningCrm

    def command(self, *words: str) -> str:
        """Run the installed `balcao` with the installation's settings, including the owner's database login."""
        files = [self.folder / "etc" / name for name in ("balcao.env", "balcao-owner.env")]
        sourced = "".join(f". {shlex.quote(str(file))}; " for file in files)
        program = shlex.join([str(self.folder / "opt/bin/balcao"), *words])
        return run("sh", "-c", f"set -a; {sourced}cd {self.folder / 'state'}; BALCAO_PROFILE=sandbox {program}")


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Installation]:
    """Run the script, which also imports the people of a city, and yield the installation."""
    folder = tmp_path_factory.mktemp("installation")
    folder.chmod(0o755)
    find("haproxy")
    https, port = free_port(), free_port()
    url = f"https://127.0.0.1:{https}"
    crm_of_the_city = crm_settings(folder / "crm", crm_client_secret=SecretStr(secrets.token_hex()))
    with ExitStack() as stack:
        keycloak = stack.enter_context(Keycloak(Path(os.environ["BALCAO_KEYCLOAK"]), folder / "keycloak"))
        keycloak.import_realm(url)
        keycloak.add_people(*map(demo_user, people()))
        keycloak.change_client("portal-cidadao", serviceAccountsEnabled=True)
        database = stack.enter_context(debians_postgres())
        crm = stack.enter_context(RunningCrm(crm_of_the_city))
        secret = crm_of_the_city.crm_client_secret.get_secret_value()
        more = folder / "more.env"
        own = keycloak.client("balcao-platform")["secret"]
        more.write_text(LISTS.format(crm=crm_of_the_city.crm_url, secret=secret, own=own))
        people_file = folder / "people.jsonl"
        people_file.write_text(run(sys.executable, "-m", "balcao", "registry", "generate", PEOPLE))
        environment = {
            "AUTH_ISSUER": keycloak.issuer,
            "PUBLIC_URL": url,
            "LOCK": str(ROOT / "requirements.lock"),
            "PYTHON": sys.executable,
            "PREFIX": str(folder / "opt"),
            "ETC": str(folder / "etc"),
            "STATE": str(folder / "state"),
            "RUN": str(folder / "run"),
            "FILES": str(folder / "files"),
            "DATABASE": f"127.0.0.1:{database.port}",
            "ADMINISTRATE": f"psql {shlex.quote(database.url(database='postgres'))}",
            "PORT": str(port),
            "HTTPS_PORT": str(https),
            "HTTP_PORT": "0",
            "MORE_SETTINGS": str(more),
            "OPTIONS": f"--allow-loopback-issuer --management-port={free_port()}",
            "PEOPLE": str(people_file),
        }
        stack.callback(end, folder / "run")
        said = run("sh", SCRIPT, build_wheel(folder / "dist"), **environment)
        # Production has no demo data, but the contract tests need the demo data here.
        pip = (folder / "opt/bin/pip", "install", "-q", "--disable-pip-version-check")
        run(*pip, "--require-hashes", "-r", ROOT / "requirements.lock", "-r", ROOT / "requirements-sandbox.lock")
        run(*pip, "--no-deps", build_wheel(folder / "trial", ROOT / "src/balcao_sandbox"))
        yield Installation(said, folder, url, keycloak, crm)


def build_wheel(folder: Path, project: Path = ROOT) -> Path:
    """Build a project's wheel, and return its path."""
    run(sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "--no-build-isolation", "-w", folder, project)
    (wheel,) = folder.iterdir()
    return wheel


def run(*words: object, **environment: str) -> str:
    """Run a command without our own settings, and return its output."""
    own = {name: value for name, value in os.environ.items() if not name.startswith(("BALCAO_", "CRM_", "PYTHONPATH"))}
    done = subprocess.run(
        [str(word) for word in words], cwd=ROOT, env=own | environment, capture_output=True, text=True, timeout=1800
    )
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-4000:]
    return done.stdout


def end(folder: Path) -> None:
    """Stop the processes that the script started. Their process ids are recorded."""
    for file in folder.glob("*.pid"):
        os.killpg(int(file.read_text()), signal.SIGTERM)


def test_the_script_ends_with_nothing_wrong(installed: Installation) -> None:
    diagnosis = json.loads(installed.said[installed.said.index("\n{") :])
    assert diagnosis["problems"] == []
    assert diagnosis["settings"]["BALCAO_PROFILE"] == "production"
    assert diagnosis["running"]
    assert {name: diagnosis["parts"][name]["state"] for name in ("database", "identity", "crm", "services")} == (
        dict.fromkeys(("database", "identity", "crm", "services"), "up")
    )
    assert f"{PEOPLE}" in installed.said


def test_the_contract_table_holds_through_its_gateway(installed: Installation) -> None:
    offered = json.loads(installed.command("demo", "--load", "--json"))
    settings = Settings.load({"BALCAO_AUTH_ISSUER": installed.keycloak.issuer})
    sandbox = Sandbox(installed.url, settings, "", KeycloakTokens(installed.keycloak), installed.crm)
    trusted = ssl.create_default_context(cafile=installed.folder / "etc/balcao.crt")
    with httpx.Client(base_url=installed.url, timeout=PATIENCE, verify=trusted) as http:
        vars(sandbox).update(http=http, examples=offered["examples"])
        faults = [f"{case}: {fault}" for case in CASES for fault in check(sandbox, case)]
    assert faults == []
