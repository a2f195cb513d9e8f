"""What `balcao init portal` writes, and that a portal works with it (rules: health_units 1)."""

import json
import stat
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from balcao import app
from balcao.deploy.production import parse_settings
from balcao.settings import Settings
from tests.identity.test_confidential import PORTALS
from tests.support.issuer import bearer
from tests.support.patience import PATIENCE
from tests.support.server import RunningServer
from tests.support.terminal import Terminal

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
    assert "0 de 3 arquivos" in city.run(*command).stdout
    assert {file: file.read_bytes() for file in (tmp_path / "p").iterdir()} == before


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
    """The platform with the lines that the command wrote for it, and the portal's key."""
    folder = tmp_path / "portal"
    terminal.run("init", "portal", "citizen", "--folder", str(folder))
    own = read(folder, "balcao.env")
    changed = Settings.load(
        {"BALCAO_AUTH_ISSUER": settings.issuers[0], "BALCAO_DATA_DIR": str(settings.data_dir)} | own
    )
    with (
        RunningServer(app.build(changed, database_url)) as running,
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
