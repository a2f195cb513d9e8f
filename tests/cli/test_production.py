"""Settings that production refuses: `serve`, `worker` and `doctor` report each of them."""

import base64
import json
import secrets
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from balcao.core.context.platform import assemble
from balcao.settings import Settings, SettingsError
from balcao.settings.production import is_weak_key
from balcao_sandbox.demo import loading as demo_data
from tests.support.fixture_types import Sql
from tests.support.issuer import Issuer
from tests.support.open_platform import opened
from tests.support.server import free_port
from tests.support.terminal import Terminal

KEY = base64.b64encode(bytes(range(7, 39))).decode()


def city(issuer: Issuer, database_url: str, folder: Path, **changes: str) -> dict[str, str]:
    """Return valid settings for production, with `changes` applied."""
    return {
        "profile": "production",
        "port": str(free_port()),
        "data_dir": str(folder),
        "database_url": database_url.replace("//balcao@", "//balcao_app@"),
        "database_owner_url": database_url,
        "auth_issuer": issuer.address,
        "allow_loopback_issuer": "true",
        "client_secret": "um segredo da cidade",
        "hash_key": KEY,
        "machine_clients": "none",
        "access_token_role_clients": "none",
    } | changes


def refusals(issuer: Issuer, **changes: str) -> list[str]:
    settings = city(issuer, "postgresql://db.example/balcao", Path("x"), **changes)
    return Settings.load({f"BALCAO_{name.upper()}": value for name, value in settings.items()}).list_refusals()


@pytest.mark.parametrize(
    ("changes", "variable"),
    [
        ({}, None),
        ({"auth_issuer": "https://entrada.example/realms/cidade", "allow_loopback_issuer": "false"}, None),
        ({"auth_issuer": "http://entrada.example/realms/cidade"}, "BALCAO_AUTH_ISSUER"),
        ({"auth_issuer": "http://127.0.0.1.entrada.example/realms/cidade"}, "BALCAO_AUTH_ISSUER"),
        ({"auth_issuer": "http://localhost@entrada.example/realms/cidade"}, "BALCAO_AUTH_ISSUER"),
        ({"auth_issuer": "https://a.example,http://b.example"}, "BALCAO_AUTH_ISSUER"),
        ({"allow_loopback_issuer": "false"}, "BALCAO_AUTH_ISSUER"),
        ({"hash_key": "uma senha comprida que alguém inventou"}, "BALCAO_HASH_KEY"),
        ({"hash_key": base64.b64encode(bytes(range(31))).decode()}, "BALCAO_HASH_KEY"),
        ({"hash_key": "0" * 64}, "BALCAO_HASH_KEY"),
        ({"machine_clients": ""}, "BALCAO_MACHINE_CLIENTS"),
        ({"access_token_role_clients": ""}, "BALCAO_ACCESS_TOKEN_ROLE_CLIENTS"),
    ],
)
def test_each_is_refused_by_name_and_nothing_else_is(
    issuer: Issuer, changes: dict[str, str], variable: str | None
) -> None:
    found = [sentence.replace(":", " ").split()[0] for sentence in refusals(issuer, **changes)]
    assert found == ([variable] if variable else [])


def test_the_sandbox_crms_own_client_is_no_citys(issuer: Issuer) -> None:
    settings = {"BALCAO_PROFILE": "production", "CRM_WEBHOOK_CLIENTS": "crm-cidade, crm-sandbox"}
    assert any("crm-sandbox" in sentence for sentence in Settings.load(settings).list_refusals())


@given(st.integers(32, 64))
def test_random_bytes_are_no_weak_key_however_they_are_written(length: int) -> None:
    key = secrets.token_bytes(length)
    for written in (key.hex(), base64.b64encode(key).decode(), base64.urlsafe_b64encode(key).rstrip(b"=").decode()):
        assert not is_weak_key(written)


@pytest.mark.long
def test_a_database_that_the_demo_was_loaded_into_is_refused_for_good(
    issuer: Issuer, database_url: str, tmp_path: Path, sql: Sql
) -> None:
    terminal = Terminal(tmp_path, **city(issuer, database_url, tmp_path))
    said = json.loads(terminal.run("doctor", "--json").stdout)["problems"]
    assert not [sentence for sentence in said if "demonstração" in sentence]
    sql("INSERT INTO platform.migration (owner, name, digest) VALUES ('demo', 'begun', '')")
    for words in (("serve", "registry"), ("worker",), ("migrate",)):
        assert "base de demonstração" in terminal.refusal(*words)
    (missing,) = sql("DELETE FROM platform.migration WHERE owner = 'agents' AND name LIKE '0001%' RETURNING *")
    for command in ("worker", "migrate"):  # reports the demo data, and migrates nothing
        refused = terminal.refusal(command)
        assert "base de demonstração" in refused
        assert "BALCAO_DATABASE_OWNER_URL" in refused
    sql(
        "INSERT INTO platform.migration (owner, name, digest) VALUES ($1, $2, $3)",
        missing["owner"],
        missing["name"],
        missing["digest"],
    )
    said = json.loads(terminal.run("doctor", "--json").stdout)["problems"]
    assert [sentence for sentence in said if "base de demonstração" in sentence]


class Interrupted(Exception):
    """An exception that stops the import of the demo data."""


async def test_half_of_the_demo_marks_a_database_too(
    settings: Settings, database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def interrupt(*_: object) -> None:
        raise Interrupted

    monkeypatch.setattr(demo_data, "_load_missing", interrupt)
    with pytest.raises(Interrupted):
        await demo_data.load_once(settings, database_url)
    production = settings.model_copy(update={"profile": "production"})
    with pytest.raises(SettingsError, match="base de demonstração"):
        async with opened(assemble(production, database_url)):
            pass
