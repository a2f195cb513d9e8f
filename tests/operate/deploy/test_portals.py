"""The files that `balcao init portal` writes, and a portal that uses them (rules: health_units 1)."""

import json
import stat
import subprocess
from collections.abc import Iterator
from datetime import date
from pathlib import Path

import httpx
import pytest

from balcao import app
from balcao.operate.deploy import portals
from balcao.operate.deploy.production import parse_settings
from balcao.settings import Settings
from balcao.settings.fixed_tokens import compute_digest, format_entry
from tests.sandbox.identity.test_confidential import PORTALS
from tests.support.issuer import bearer
from tests.support.polling import PATIENCE
from tests.support.server import RunningServer
from tests.support.terminal import Terminal

REALM = Path(__file__).parents[3] / "docs" / "operate" / "keycloak" / "realm.json"
PORTAL = "portal-cidadao"
PRODUCTION = {
    "BALCAO_PUBLIC_URL": "https://balcao.cidade.example",
    "BALCAO_AUTH_ISSUER": "https://login.cidade.example/realms/cidade",
    "BALCAO_CORS_ORIGINS": "https://outro.cidade.example",
}


@pytest.fixture
def terminal(tmp_path: Path) -> Terminal:
    return Terminal(tmp_path)


@pytest.fixture
def city(tmp_path: Path) -> Terminal:
    terminal = Terminal(tmp_path)
    terminal.environment.update(PRODUCTION)
    return terminal


def read(folder: Path, name: str) -> dict[str, str]:
    return parse_settings((folder / name).read_text("utf-8"))


@pytest.mark.parametrize(("kind", "client"), [("citizen", "portal-cidadao"), ("staff", "portal-servidor")])
def test_in_the_sandbox_a_portal_gets_the_demos_client(
    terminal: Terminal, tmp_path: Path, kind: str, client: str
) -> None:
    folder = tmp_path / "portal"
    said = terminal.run("init", "portal", kind, "--folder", str(folder)).stdout
    written = read(folder, "portal.env")
    assert f"O cliente {client} já está no provedor do sandbox." in said
    assert (written["OIDC_CLIENT_ID"], written["OIDC_CLIENT_SECRET"]) == (client, PORTALS[client].secret)
    assert written["OIDC_BASE_URL"] == f"{written['OIDC_ISSUER']}/protocol/openid-connect"
    assert written["OIDC_REDIRECT_URI"] == "http://localhost:3000/callback"
    text = (folder / "portal.env").read_text("utf-8")
    base = written["REGISTRY_URL"].removesuffix("/v1")
    assert f"REGISTRY_URL_WITHOUT_V1={base}\n" in text
    assert ("HEALTH_UNITS_KEY" in written, "ACCESS_URL" in written) == (kind == "citizen", kind == "staff")
    assert {stat.S_IMODE(file.stat().st_mode) for file in folder.iterdir()} == {0o600}


def test_a_second_time_nothing_is_written(city: Terminal, tmp_path: Path) -> None:
    command = (
        "init",
        "portal",
        "citizen",
        "--origin",
        "https://portal.cidade.example",
        "--folder",
        str(tmp_path / "p"),
    )
    city.run(*command)
    before = {file: file.read_bytes() for file in (tmp_path / "p").iterdir()}
    assert "0 de 4 arquivos" in city.run(*command).stdout
    assert {file: file.read_bytes() for file in (tmp_path / "p").iterdir()} == before


def test_the_command_says_which_address_it_wrote_and_git_ignores_the_folder(city: Terminal, tmp_path: Path) -> None:
    folder = tmp_path / "portal"
    said = city.run("init", "portal", "staff", "--origin", "https://p.cidade.example", "--folder", str(folder)).stdout
    assert "chama o Balcão em https://balcao.cidade.example (outro endereço ou porta:" in said
    subprocess.run(["git", "init", "-q", tmp_path], check=True)
    listed = subprocess.run(
        ["git", "-C", tmp_path, "status", "--porcelain"], capture_output=True, text=True, check=True
    ).stdout
    assert "portal" not in listed


def test_the_file_of_the_fixed_tokens_may_still_be_missing(city: Terminal, tmp_path: Path) -> None:
    listed, folder = tmp_path / "fixed-tokens", tmp_path / "portal"
    city.environment["BALCAO_FIXED_SERVICE_TOKENS"] = str(listed)
    command = ("init", "portal", "citizen", "--origin", "https://portal.cidade.example", "--folder", str(folder))
    assert f"Acrescente as linhas de {folder}/fixed-tokens a {listed}" in city.run(*command).stdout
    assert read(folder, "balcao.env")["BALCAO_FIXED_SERVICE_TOKENS"] == str(listed)


def test_the_key_opens_a_unit_and_its_risk(tmp_path: Path) -> None:
    key = portals.make_key(tmp_path, date(2026, 11, 22), date(2026, 11, 22))
    opened = {entry.operation for entry in key.entries}
    assert opened == {"health_units.read_risk", "health_units.list_risks", "health_units.read_unit"}


def test_a_citys_provider_gets_the_clients_entry(city: Terminal, tmp_path: Path) -> None:
    folder = tmp_path / "portal"
    origin = "https://portal.cidade.example"
    said = city.run(
        "init", "portal", "staff", "--origin", origin, "--client-id", "painel", "--folder", str(folder)
    ).stdout
    assert "kcadm.sh create clients" in said
    entry = json.loads((folder / "client.json").read_text("utf-8"))
    assert (entry["clientId"], entry["redirectUris"]) == ("painel", [f"{origin}/callback"])
    assert entry["secret"] == read(folder, "portal.env")["OIDC_CLIENT_SECRET"]
    assert len(entry["secret"]) == 64
    assert entry["attributes"]["backchannel.logout.url"] == "https://balcao.cidade.example/auth/backchannel-logout"
    assert read(folder, "balcao.env") == {"BALCAO_CORS_ORIGINS": f"https://outro.cidade.example,{origin}"}


def test_a_citys_provider_is_asked_to_end_every_session_of_a_person_as_the_realm_file_has_it(
    city: Terminal, tmp_path: Path
) -> None:
    city.run("init", "portal", "citizen", "--origin", "https://portal.cidade.example", "--folder", str(tmp_path))
    written = json.loads((tmp_path / "client.json").read_text("utf-8"))
    (shipped,) = (each for each in json.loads(REALM.read_text("utf-8"))["clients"] if each["clientId"] == PORTAL)
    assert written["attributes"].items() >= shipped["attributes"].items()
    for name in ("publicClient", "standardFlowEnabled", "serviceAccountsEnabled", "fullScopeAllowed"):
        assert written[name] == shipped[name], name


def test_where_a_file_lists_the_tokens_the_lines_to_add_to_it_are_written(city: Terminal, tmp_path: Path) -> None:
    listed, folder = tmp_path / "fixed-tokens", tmp_path / "portal"
    listed.write_text(f"health_units.read_risk:2027-01-31:{'ab' * 32}\n", "utf-8")
    city.environment["BALCAO_FIXED_SERVICE_TOKENS"] = str(listed)
    command = ("init", "portal", "citizen", "--origin", "https://portal.cidade.example", "--folder", str(folder))
    assert f"Acrescente as linhas de {folder}/fixed-tokens a {listed}" in city.run(*command).stdout
    assert read(folder, "balcao.env")["BALCAO_FIXED_SERVICE_TOKENS"] == str(listed)
    digest = compute_digest(read(folder, "portal.env")["HEALTH_UNITS_KEY"].encode()).hex()
    lines = (folder / "fixed-tokens").read_text("utf-8").splitlines()
    assert [line.rpartition(":")[2] for line in lines] == [digest] * 3
    assert "0 de 5 arquivos" in city.run(*command).stdout


@pytest.mark.parametrize("added", ["", "health_units.read_risk:amanhã:00\n"])
def test_a_key_whose_entries_were_put_into_a_file_stays(city: Terminal, tmp_path: Path, added: str) -> None:
    listed, folder = tmp_path / "fixed-tokens", tmp_path / "portal"
    command = ("init", "portal", "citizen", "--origin", "https://portal.cidade.example", "--folder", str(folder))
    city.run(*command)
    key, own = read(folder, "portal.env")["HEALTH_UNITS_KEY"], read(folder, "balcao.env")
    listed.write_text(added + own["BALCAO_FIXED_SERVICE_TOKENS"].replace(",", "\n"), "utf-8")
    (folder / "balcao.env").write_text(f"BALCAO_FIXED_SERVICE_TOKENS={listed}\n", "utf-8")
    assert "1 de 4 arquivos" in city.run(*command, "--replace").stdout
    assert read(folder, "portal.env")["HEALTH_UNITS_KEY"] == key


def test_a_key_that_has_ended_is_replaced(tmp_path: Path) -> None:
    first = portals.make_key(tmp_path, date(2026, 11, 22), date(2026, 11, 22))
    lines = ",".join(map(format_entry, first.entries))
    (tmp_path / "portal.env").write_text(f"HEALTH_UNITS_KEY={first.text}\n", "utf-8")
    (tmp_path / "balcao.env").write_text(f"BALCAO_FIXED_SERVICE_TOKENS={lines}\n", "utf-8")
    assert portals.make_key(tmp_path, date(2027, 11, 22), date(2026, 11, 22)) == first
    assert portals.make_key(tmp_path, date(2027, 11, 22), date(2026, 11, 23)).text != first.text


@pytest.mark.parametrize(
    ("options", "named"),
    [
        (("--origin", "https://x.example"), "--origin: o provedor do sandbox não devolve um login a x.example"),
        (("--origin", "localhost:3000"), "--origin localhost:3000: escreva só https://"),
        (("--origin", "http://localhost:3000/portal"), "--origin"),
        (("--callback", "volta"), "--callback volta: escreva um caminho"),
        (("--client-id", "a\nb"), "--client-id"),
        (("--client-id", "ninguem"), "--client-id ninguem: o provedor do sandbox tem portal-cidadao, portal-servidor"),
    ],
)
def test_bad_answers_are_refused_in_a_sentence(
    terminal: Terminal, tmp_path: Path, options: tuple[str, str], named: str
) -> None:
    said = terminal.refusal("init", "portal", "citizen", *options, "--folder", str(tmp_path / "portal"))
    assert named in said
    assert not (tmp_path / "portal").exists()


@pytest.fixture
def switched(
    terminal: Terminal, tmp_path: Path, database_url: str, settings: Settings
) -> Iterator[tuple[httpx.Client, str]]:
    """Yield a client of a platform with the settings that the command wrote, and the portal's key."""
    folder = tmp_path / "portal"
    terminal.run("init", "portal", "citizen", "--folder", str(folder))
    own = read(folder, "balcao.env")
    changed = Settings.load(
        {"BALCAO_AUTH_ISSUER": settings.issuers[0], "BALCAO_DATA_DIR": str(settings.data_dir)} | own
    )
    with (
        RunningServer(app.build_application(changed, database_url)) as running,
        httpx.Client(base_url=running.url, timeout=PATIENCE) as http,
    ):
        yield http, read(folder, "portal.env")["HEALTH_UNITS_KEY"]


def test_the_key_and_the_origin_are_taken_as_written(switched: tuple[httpx.Client, str]) -> None:
    http, key = switched
    assert http.get("/health-units/unidades/risco", headers=bearer(key)).status_code == 200
    assert http.get("/health-units/unidade/9900001/risco", headers=bearer(key)).status_code in {200, 404}
    assert http.get("/health-units/unidades", headers=bearer(key)).status_code == 401
    answer = http.get("/liveness", headers={"Origin": "http://localhost:3000"})
    assert answer.headers["Access-Control-Allow-Origin"] == "http://localhost:3000"
