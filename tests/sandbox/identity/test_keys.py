"""Signing keys survive a restart and rotate while the provider runs. A rotation never invalidates a valid token."""

import stat
import threading
from pathlib import Path

import httpx
import msgspec
import pytest

from balcao.core.access.tokens import LEEWAY_SECONDS, TokenVerifier
from balcao.core.context.platform import assemble
from balcao.core.values.cpf import Cpf
from balcao.settings import Settings, SettingsError
from balcao_sandbox.identity import demo, keys, provider
from balcao_sandbox.identity.keys import PUBLISHED_SECONDS, SIGNS_AFTER_SECONDS, SigningKeys, StoredKey, rotate_keys
from tests.sandbox.identity.conftest import settings_in
from tests.sandbox.identity.provider import Portal, RunningProvider
from tests.support.demo_people import ANA
from tests.support.polling import PATIENCE


def read_keys(settings: Settings) -> list[StoredKey]:
    return msgspec.json.decode(locate_file(settings).read_bytes(), type=list[StoredKey])


def age_keys(settings: Settings, seconds: float) -> None:
    """Make every stored key older by this many seconds."""
    aged = [msgspec.structs.replace(key, made_at=key.made_at - seconds) for key in read_keys(settings)]
    locate_file(settings).write_bytes(msgspec.json.encode(aged))


def locate_file(settings: Settings) -> Path:
    return settings.data_dir / "identity" / "keys.json"


def issue_token(running: RunningProvider) -> str:
    with Portal(running) as portal:
        return str(portal.tokens()["access_token"])


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return settings_in(tmp_path)


async def test_the_services_accept_its_tokens_also_across_a_rotation(settings: Settings, database_url: str) -> None:
    with RunningProvider(settings, database_url) as running:
        old = issue_token(running)
        async with httpx.AsyncClient(timeout=PATIENCE) as client:
            verifier = TokenVerifier(settings.issuers, settings.auth_audience, client)
            assert (await verifier.caller(f"Bearer {old}".encode())).cpf == Cpf(ANA)
            rotate_keys(settings)
            during = issue_token(running)
            assert (await verifier.caller(f"Bearer {during}".encode())).is_person
            age_keys(settings, SIGNS_AFTER_SECONDS + 1)
            new = issue_token(running)
            fresh = TokenVerifier(settings.issuers, settings.auth_audience, client)
            callers = [await fresh.caller(f"Bearer {token}".encode()) for token in (old, during, new)]
            assert {caller.client for caller in callers} == {"portal-cidadao"}


def test_a_running_provider_publishes_a_new_key_at_once_and_signs_with_it_later(
    settings: Settings, database_url: str
) -> None:
    with RunningProvider(settings, database_url) as running:
        [first] = [key.kid for key in running.keys().keys]
        second = rotate_keys(settings)
        assert [key.kid for key in running.keys().keys] == [first, second]
        assert running.realm.keys.signing.kid == first
        age_keys(settings, SIGNS_AFTER_SECONDS + 1)
        assert running.realm.keys.signing.kid == second


def test_keys_are_kept_across_a_restart_and_belong_to_the_owner_alone(settings: Settings) -> None:
    before = SigningKeys(settings).signing.kid
    assert SigningKeys(settings).signing.kid == before
    assert stat.S_IMODE(locate_file(settings).stat().st_mode) == 0o600
    assert stat.S_IMODE(locate_file(settings).parent.stat().st_mode) == 0o700
    rotate_keys(settings)
    assert stat.S_IMODE(locate_file(settings).stat().st_mode) == 0o600


def test_a_key_is_dropped_when_no_token_can_need_it(settings: Settings) -> None:
    first = SigningKeys(settings).signing.kid
    second = rotate_keys(settings)
    age_keys(settings, PUBLISHED_SECONDS - 60)
    third = rotate_keys(settings)
    assert [key.jwk["kid"] for key in read_keys(settings)] == [first, second, third]
    age_keys(settings, 120)
    rotate_keys(settings)
    assert [key.jwk["kid"] for key in read_keys(settings)][:2] == [second, third]


def test_a_rotation_before_the_first_start_makes_the_first_key(settings: Settings) -> None:
    assert rotate_keys(settings) == SigningKeys(settings).signing.kid


def test_two_rotations_at_once_lose_no_key(settings: Settings) -> None:
    SigningKeys(settings)
    threads = [threading.Thread(target=rotate_keys, args=[settings]) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert len({key.jwk["kid"] for key in read_keys(settings)}) == 4


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"\xff", b'[{"made_at": 1, "jwk": {"kty": "RSA"}}]'])
def test_a_broken_key_file_is_a_clear_sentence_at_start_and_no_harm_later(settings: Settings, content: bytes) -> None:
    running = SigningKeys(settings)
    known = running.signing.kid
    locate_file(settings).write_bytes(content)
    assert running.signing.kid == known
    with pytest.raises(SettingsError, match=r"identity/keys\.json"):
        SigningKeys(settings)


def test_a_folder_that_cannot_be_written_is_a_clear_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(SettingsError, match="BALCAO_DATA_DIR"):
        SigningKeys(settings_in(tmp_path / "file"))


def test_published_keys_outlive_every_token() -> None:
    assert keys.PUBLISHED_SECONDS > demo.LONGEST_ACCESS_SECONDS + LEEWAY_SECONDS + SIGNS_AFTER_SECONDS


def test_production_refuses_the_embedded_provider(settings: Settings) -> None:
    production = settings.model_copy(update={"profile": "production"})
    with pytest.raises(SettingsError, match="production"):
        provider.mount(production, assemble(settings, ""))
