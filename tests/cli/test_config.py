"""`balcao config explain` shows every declared setting, and never the value of a secret."""

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import settings as examples
from hypothesis import strategies as st
from pydantic import SecretStr

from balcao import app
from balcao.cli.config import describe_settings
from balcao.operate.deploy.answers import Frontend, Server
from balcao.operate.deploy.gateways import FILES, READ_SETTINGS, Plan, generate_gateway_files
from balcao.operate.doctor.diagnosis import list_settings
from balcao.operate.explanation import Explained, Explanation, _Recorder, choose_variables, explain_variables
from balcao.settings import Settings, variable_of
from tests.support.fixture_types import Sql
from tests.support.server import free_port
from tests.support.terminal import Terminal

FIELDS = Settings.model_fields
SECRETS = [name for name, field in FIELDS.items() if isinstance(field.get_default(), SecretStr)]
FORMS = {
    "former_hash_keys": "2={}",
    "risk_source_tokens": "fonte={}",
    "smtp_url": "smtp://correio:{}@correio.example",
}
ADDRESSES = ("database_url", "database_owner_url", "backup_url", "redis_url")


def by_variable(settings: Settings, environment: dict[str, str] | None = None) -> dict[str, Explanation]:
    return {one.variable: one for one in explain_variables(settings, environment or {}, {})}


# Our own messages contain none of these values, so a match can come only from the secret.
WORDS = st.text("XYZKWQ0123456789:/@?&=%#,+ç ", min_size=12, max_size=40).map(lambda text: f"X9{text}Q7")


@examples(max_examples=40)
@given(words=st.lists(WORDS, min_size=len(SECRETS) + 1, max_size=len(SECRETS) + 1, unique=True), queried=st.booleans())
def test_no_secret_is_ever_shown(words: list[str], queried: bool) -> None:
    given_values: dict[str, Any] = {
        name: SecretStr(FORMS.get(name, "{}").format(word)) for name, word in zip(SECRETS, words, strict=False)
    }
    for name in ADDRESSES:
        login = f"{'redis' if name == 'redis_url' else 'postgresql'}://balcao"
        given_values[name] = f"{login}@h/b?password={words[-1]}" if queried else f"{login}:{words[-1]}@h/b"
    # Skip the validation, which rejects some of these values. Even invalid secrets must stay hidden.
    settings = Settings.model_construct(**{**dict(Settings()), **given_values})
    found = explain_variables(settings, {variable_of(name): "" for name in given_values}, {})
    said = msgspec.json.encode(found).decode() + "\n".join(describe_settings(Explained(found, [], settings.zone)))
    said += json.dumps(list_settings(settings), ensure_ascii=False)
    for word in words:
        for part in (word, word[:8], word[-8:]):
            assert part not in said.replace("\\/", "/")
    assert "balcao" in said


def test_a_secrets_fingerprint_tells_equal_ones_from_others_and_public_ones_by_name() -> None:
    first, same, other = (
        by_variable(Settings(client_secret=SecretStr(word)))["BALCAO_CLIENT_SECRET"].secret
        for word in ("a" * 30, "a" * 30, "b" * 30)
    )
    assert first is not None
    assert same is not None
    assert other is not None
    assert (first.length, first.is_set, first.is_public) == (30, True, False)
    assert first.fingerprint == same.fingerprint != other.fingerprint
    public = by_variable(Settings())["BALCAO_CLIENT_SECRET"].secret
    assert public is not None
    assert public.is_public
    unset = by_variable(Settings())["BALCAO_METRICS_TOKEN"].secret
    assert unset is not None
    assert (unset.is_set, unset.fingerprint, unset.is_public) == (False, "", False)


def test_where_a_value_comes_from_is_told(tmp_path: Path) -> None:
    terminal = Terminal(tmp_path, host="127.0.0.2", prot="1")
    (tmp_path / ".balcao").mkdir()
    (tmp_path / ".balcao/port").write_text("9123\n")

    def ask(*words: str) -> tuple[dict[str, Any], Any]:
        told = terminal.json("config", "explain", *words, "--json")
        return {one["variable"]: one for one in told["settings"]}, told["unknown"]

    found, unknown = ask()
    assert unknown == [{"name": "BALCAO_PROT", "meant": "BALCAO_PORT"}]
    assert (found["BALCAO_HOST"]["value"], found["BALCAO_HOST"]["source"]) == ("127.0.0.2", "environment")
    assert (found["BALCAO_PORT"]["value"], found["BALCAO_PORT"]["source"]) == (9123, "remembered")
    assert found["BALCAO_PORT"]["origin"] == [".balcao/port"]
    address = found["BALCAO_PUBLIC_URL"]
    assert (address["value"], address["source"]) == ("http://127.0.0.2:9123", "derived")
    assert {"BALCAO_HOST", "BALCAO_PORT"} <= set(address["origin"])
    assert "BALCAO_PUBLIC_URL" in found["BALCAO_PORT"]["affects"]
    assert found["BALCAO_REALM"]["source"] == "default"
    (tmp_path / "balcao.env").write_text("# x\nBALCAO_HOST=h\nBALCAO_REALM='cidade'\nBALCAO_PORTO=1\n")
    found, unknown = ask("--env-file", "balcao.env")
    assert (found["BALCAO_REALM"]["value"], found["BALCAO_REALM"]["source"]) == ("cidade", "file")
    assert found["BALCAO_REALM"]["origin"] == ["balcao.env"]
    assert found["BALCAO_HOST"]["value"] == "127.0.0.2"
    assert [one["name"] for one in unknown] == ["BALCAO_PORTO", "BALCAO_PROT"]
    found, _ = ask("crm_push")
    assert found.keys() == {"BALCAO_CRM_PUSH", "BALCAO_CRM_PUSH_ATTEMPTS"} or found.keys() == {"BALCAO_CRM_PUSH"}
    assert "quis dizer BALCAO_PORT?" in terminal.refusal("config", "explain", "portu")


def test_a_name_means_one_setting_or_all_that_contain_it() -> None:
    assert choose_variables("port") == choose_variables("BALCAO_PORT") == ["BALCAO_PORT"]
    assert choose_variables("crm_webhook_clients") == ["CRM_WEBHOOK_CLIENTS"]
    assert {"BALCAO_HASH_KEY", "BALCAO_HASH_KEY_NUMBER", "BALCAO_FORMER_HASH_KEYS"} == set(
        choose_variables("hash_key")
    ) | set(choose_variables("hash"))
    assert choose_variables("portu") == []


def test_a_rate_that_was_changed_live_is_told_beside_the_configured_one(terminal: Terminal, sql: Sql) -> None:
    changed = "('rate', 'BALCAO_READ_RATE', '20/second', 'ana@maquina')"
    sql(f"INSERT INTO platform.live_change (kind, name, value, author) VALUES {changed}")
    try:
        said = terminal.run("config", "explain", "BALCAO_READ_RATE").stdout
    finally:
        sql("DELETE FROM platform.live_change")
    assert "BALCAO_READ_RATE = 5000/second (padrão)" in said
    assert "Ao vivo vale 20/second, até que alguém o desfaça, por ana@maquina." in said
    assert Terminal(terminal.folder, port=free_port()).run("config", "explain", "BALCAO_READ_RATE").returncode == 0


@pytest.mark.parametrize("issuer", ["", "https://login.cidade.example/realms/cidade"])
def test_the_settings_that_a_gateways_configuration_follows_are_named(issuer: str) -> None:
    """READ_SETTINGS lists the settings that the generator reads, plus `host` and `port`, which set only defaults."""
    read: set[str] = set()
    recorder: Any = _Recorder(Settings(auth_issuer=issuer), read)
    assert recorder.issuers
    for kind in FILES:
        generate_gateway_files(kind, Plan(recorder, app.SERVICES, [Server("127.0.0.1", 8080)], Frontend()))
    assert read <= READ_SETTINGS
    if not issuer:
        assert read | {"host", "port"} == READ_SETTINGS
