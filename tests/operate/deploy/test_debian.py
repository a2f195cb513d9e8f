"""install.sh and the manual's commands on a Debian with systemd: an empty machine, then two upgrades and a way back."""

import json
import re
import shutil
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import pytest
import yaml

from balcao.operate.deploy.production import parse_settings
from balcao.operate.readings import Reading
from tests.operate.deploy.test_installation import ROOT, SCRIPT, build_wheel
from tests.support.debian import Debian, boot_debian, run_in_network
from tests.support.polling import until_now
from tests.support.proof_sizes import FULL
from tests.support.terminal import open_folder, remove

pytestmark = [pytest.mark.systemd, pytest.mark.long]
HOST = "balcao.cidade.test"
PROVIDER = """
import sys
from tests.support.issuer import Issuer
print(Issuer().address, flush=True)
sys.stdin.read()
"""
SOURCES = ("pyproject.toml", "README.md", "LICENSE", "requirements.lock", "src", "docs/guides")
# Lines that the manual tells operators to add.
CITY = """
BALCAO_MACHINE_CLIENTS=balcao-platform,crm,agentes-runtime,painel-saude,portal-cidadao
BALCAO_CORS_ORIGINS=https://cidadao.cidade.test
"""
SETTINGS = Path("etc/balcao/balcao.env")
UNITS = ("balcao-api", "balcao-worker")
TOWN_PAGE = (ROOT / "docs/operate/several-towns.md").read_text("utf-8")
TOWN_BLOCKS = re.findall(r"^ *```sh\n(.*?)^ *```$", TOWN_PAGE, re.MULTILINE | re.DOTALL)
OWN_CERTIFICATE = f"""
cd /etc/balcao
openssl req -x509 -newkey rsa:2048 -nodes -days 90 -subj /CN={HOST} -addext subjectAltName=DNS:{HOST} \
    -keyout city.key -out city.crt
(umask 077 && cat city.crt city.key >balcao.pem)
cp city.crt /usr/local/share/ca-certificates/city.crt
rm /usr/local/share/ca-certificates/balcao-provisional.crt city.key
update-ca-certificates --fresh
"""
TOWN_OPTIONS = "--gateway nginx --allow-loopback-issuer"  # the issuer of this test
# Series that exist only after an event, or only with a component that this installation does not have.
CONDITIONAL = re.compile(
    "balcao_(backup_|replication_slot_(active|retained)|replica_|risk_(source|webhooks)|search_migration|maintenance|crm_event|crm_oldest|identity_keys|jobs)|up$"
)


@dataclass
class City:
    """The machine, the issuer of its tokens, the output of install.sh, and the version that was last copied to it."""

    machine: Debian
    issuer: str
    said: str = ""
    version: str = ""

    def release(self, folder: Path, version: str) -> None:
        """Build a release with this version, and copy it to the machine."""
        source = folder / "source"
        for name in SOURCES:
            (copy := shutil.copytree if (ROOT / name).is_dir() else shutil.copy)
            (source / name).parent.mkdir(parents=True, exist_ok=True)
            copy(ROOT / name, source / name)
        module = source / "src/balcao/__init__.py"
        text = re.sub(r'__version__ = "[^"]*"', f'__version__ = "{version}"', module.read_text("utf-8"))
        module.write_text(text, "utf-8")
        target = self.machine.folder / "srv/release"
        shutil.rmtree(target, ignore_errors=True)
        target.mkdir()
        for file in (build_wheel(folder / "dist", source), ROOT / "requirements.lock", SCRIPT):
            shutil.copy(file, target)
        self.version = version

    def install(self, **answers: str) -> str:
        """Run install.sh with these answers."""
        return self.machine.shell("cd /srv/release && sh install.sh balcao-*.whl", **answers)

    def refusal(self, **answers: str) -> str:
        """Run install.sh, which must fail, and return its message."""
        return self.machine.fail("sh", "-c", "cd /srv/release && sh install.sh balcao-*.whl", **answers)

    def diagnose(self) -> dict[str, object]:
        """Run `balcao doctor` as the manual describes, and return its report."""
        sourced = "set -a; . /etc/balcao/balcao.env; . /etc/balcao/balcao-owner.env; set +a; balcao doctor --json"
        found: dict[str, object] = json.loads(self.machine.shell(sourced))
        return found

    def settings(self) -> dict[str, str]:
        return parse_settings((self.machine.folder / SETTINGS).read_text("utf-8"))

    def is_served(self) -> bool:
        """Return whether the readiness check through the gateway succeeds."""
        try:
            self.machine.shell(f"curl -fsS -o /dev/null https://{HOST}/registry/v1/readiness")
        except AssertionError:
            return False
        return True

    def starts(self) -> list[str]:
        """Return the start time of each unit's main process."""
        return [self.machine.show(unit, "ExecMainStartTimestampMonotonic") for unit in UNITS]


@pytest.fixture(scope="module")
def city(tmp_path_factory: pytest.TempPathFactory) -> Iterator[City]:
    """Run install.sh on an empty machine, and yield the machine."""
    folder = open_folder()
    with ExitStack() as stack:
        stack.callback(remove, folder)
        machine = stack.enter_context(boot_debian(folder))
        with (machine.folder / "etc/hosts").open("a") as hosts:
            hosts.write(f"127.0.0.1 localhost {HOST}\n")
        city = City(machine, stack.enter_context(run_in_network(machine, PROVIDER)))
        city.release(tmp_path_factory.mktemp("first"), "1.0.1")
        (machine.folder / "srv/city.env").write_text(CITY)
        city.said = city.install(
            AUTH_ISSUER=city.issuer,
            PUBLIC_URL=f"https://{HOST}",
            OPTIONS="--allow-loopback-issuer --database-name cidade",
            MORE_SETTINGS="/srv/city.env",
        )
        yield city


def test_an_empty_machine_serves_and_doctor_finds_nothing_wrong(city: City) -> None:
    diagnosis = json.loads(city.said[city.said.index("\n{") :])
    assert diagnosis["problems"] == []
    assert diagnosis["running"]
    assert city.is_served()
    assert city.diagnose()["problems"] == []


def test_no_unit_had_to_be_started_twice(city: City) -> None:
    """The processes run as a user who cannot read /etc/balcao, but they must still trust the gateway's certificate."""
    for unit in (*UNITS, "haproxy"):
        assert (city.machine.show(unit, "ActiveState"), city.machine.show(unit, "NRestarts")) == ("active", "0"), unit


def test_the_machine_shows_every_series_that_an_alert_reads(city: City) -> None:
    rules = yaml.safe_load((ROOT / "deploy/monitoring/rules.yml").read_text("utf-8"))["groups"]
    text = " ".join(rule["expr"] for group in rules for rule in group["rules"] if "alert" in rule)
    named = set(re.findall(r"\b(?:balcao|process)_\w+", re.sub(r"\{[^}]*\}", "", text)))
    token = city.settings()["BALCAO_METRICS_TOKEN"]
    ask = f"curl -fsS -H 'Authorization: Bearer {token}' http://127.0.0.1"
    shown = Reading.parse([city.machine.shell(f"{ask}:{port}/metrics") for port in (8090, 8091)], 0.0).series
    assert {name for name in named - shown.keys() if not CONDITIONAL.match(name)} == set()
    processes = {dict(labels)["process"] for labels in shown["process_open_fds"]}
    assert any(name.startswith("api") for name in processes)
    assert any(name.startswith("worker") for name in processes)


def test_another_run_applies_what_was_changed_and_otherwise_keeps_every_process(city: City) -> None:
    """Replace the provisional certificate as install.sh tells, and change settings. Then run the script twice.

    The city's CA is the only one that is trusted then.
    """
    city.machine.shell(OWN_CERTIFICATE)
    path = city.machine.folder / SETTINGS
    edited = path.read_text("utf-8").replace("https://cidadao.cidade.test", "https://outro.cidade.test")
    path.write_text(edited + "BALCAO_LOG_LEVEL=warning\n", "utf-8")
    first = city.starts()
    city.install()
    before, values = city.starts(), city.settings()
    assert all(new != old for new, old in zip(before, first, strict=True))
    city.install()
    assert city.settings() == values
    assert values["BALCAO_CORS_ORIGINS"] == "https://outro.cidade.test"
    assert values["BALCAO_LOG_LEVEL"] == "warning"
    assert path.stat().st_mode & 0o777 == 0o600
    assert city.starts() == before
    assert "outro.cidade.test" in (city.machine.folder / "etc/haproxy/haproxy.cfg").read_text("utf-8")
    assert city.diagnose()["problems"] == []


def test_an_answer_or_a_line_that_contradicts_the_installation_is_refused(city: City) -> None:
    values, before = city.settings(), city.starts()
    assert "PUBLIC_URL era" in city.refusal(PUBLIC_URL="https://outro.cidade.test")
    (city.machine.folder / "srv/other.env").write_text("BALCAO_CORS_ORIGINS=https://terceiro.cidade.test\n")
    assert "BALCAO_CORS_ORIGINS" in city.refusal(MORE_SETTINGS="/srv/other.env")
    assert (city.settings(), city.starts()) == (values, before)


@pytest.mark.parametrize("version", ["1.0.2", *(["1.0.3"] if FULL else []), "1.0.1"])
def test_another_release_restarts_the_processes_and_keeps_settings(city: City, tmp_path: Path, version: str) -> None:
    """Upgrade, in a proof twice, and then return to an older release, which works with the newer database."""
    before, values = city.starts(), city.settings()
    city.release(tmp_path, version)
    city.install()
    assert version in city.machine.run("balcao", "--version")
    assert all(new != old for new, old in zip(city.starts(), before, strict=True))
    assert city.settings() == values
    assert city.is_served()
    assert city.diagnose()["problems"] == []


def test_migrating_again_leaves_the_processes_alone(city: City) -> None:
    before = city.starts()
    city.machine.run("systemctl", "restart", "balcao-migrate")
    assert city.starts() == before
    assert city.machine.show("balcao-migrate", "Result") == "success"


def test_a_machine_that_boots_before_its_database_serves_as_soon_as_that_is_there(city: City) -> None:
    city.machine.run("systemctl", "disable", "postgresql")
    city.machine.stop()
    city.machine.start()
    assert not city.is_served()
    city.machine.run("systemctl", "enable", "--now", "postgresql")
    until_now(city.is_served)
    # The start of the API unit ends a few seconds later, when the gateways use the host.
    until_now(lambda: {city.machine.show(unit, "ActiveState") for unit in ("balcao-migrate", *UNITS)} == {"active"})
    assert city.diagnose()["problems"] == []


def test_another_town_works_beside_the_first_one(city: City) -> None:
    """Follow docs/operate/several-towns.md. The first town has the units of install.sh."""
    write, settings, roles, units, start = TOWN_BLOCKS[:5]
    city.machine.shell(f"cd /root\n{re.sub('https://login[^ ]+', city.issuer, write.rstrip())} {TOWN_OPTIONS}")
    for block in (settings, roles, units, start):
        city.machine.shell(f"cd /root\n{block}")
    until_now(lambda: city.machine.shell("curl -sf http://127.0.0.1:8190/readiness || true") != "")
    for unit in ("balcao-migrate", "balcao-api", "balcao-worker"):
        assert city.machine.show(f"{unit}@ararinha", "ActiveState") == "active"
        assert city.machine.show(f"{unit}@ararinha", "User") == "balcao-ararinha"
    granted = "set -a; . /etc/balcao/ararinha/balcao.env; . /etc/balcao/ararinha/balcao-owner.env; balcao migrate"
    assert "Banco em dia" in city.machine.shell(granted)
    assert city.is_served()
    assert city.diagnose()["problems"] == []
