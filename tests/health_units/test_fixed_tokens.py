"""A fixed service token works only for the operations in its list (rules: health_units 1)."""

from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import httpx
import pytest

from balcao import app
from balcao.core.access import fixed_tokens as access
from balcao.core.access.caller import Caller, TokenRefused
from balcao.core.access.fixed_tokens import FixedTokens
from balcao.settings import Settings, SettingsError, fixed_tokens
from balcao_sandbox.demo import health_units as demo
from tests.support.issuer import Issuer, bearer
from tests.support.operations import Served, all_operations
from tests.support.polling import PATIENCE
from tests.support.server import UNLIMITED, RunningServer

RISK = "health_units.read_risk"
TODAY = datetime.now(UTC).date()
TOKENS = [fixed_tokens.make_fixed_token(RISK, TODAY + timedelta(days=30)) for _ in range(2)]
LISTED = ",".join(fixed_tokens.format_entry(entry) for _, entry in TOKENS)

pytestmark = pytest.mark.usefixtures("loaded")


@pytest.fixture(scope="module")
def settings(issuer: Issuer, tmp_path_factory: pytest.TempPathFactory) -> Settings:
    return Settings.load(
        {
            "BALCAO_AUTH_ISSUER": issuer.address,
            "BALCAO_DATA_DIR": str(tmp_path_factory.mktemp("data")),
            "BALCAO_FIXED_SERVICE_TOKENS": LISTED,
            "BALCAO_REFUSED_RATE": UNLIMITED,  # about 500 operations refuse the token
        }
    )


def read(http: httpx.Client, token: str) -> httpx.Response:
    return http.get(f"/health-units/unidade/{demo.QUIET}/risco", headers=bearer(token))


def test_two_listed_tokens_open_the_operation_again_and_again(http: httpx.Client) -> None:
    for token, _ in TOKENS * 2:
        assert read(http, token).json()["cnes"] == demo.QUIET


@pytest.mark.long
@pytest.mark.parametrize("served", [one for one in all_operations() if not one.public], ids=str)
def test_it_opens_no_other_operation(http: httpx.Client, served: Served) -> None:
    answer = http.request(served.method, served.filled(), headers=bearer(TOKENS[0][0]))
    assert (answer.status_code == 401) == (served.operation.key != RISK)


@pytest.mark.parametrize(
    "header",
    ["", TOKENS[0][0], f"Basic {TOKENS[0][0]}", f"Bearer {TOKENS[0][0]}x", f"Bearer {TOKENS[0][1].digest.hex()}"],
    ids=["nothing", "no scheme", "another scheme", "a longer text", "its hash"],
)
def test_nothing_but_the_token_itself_will_do(http: httpx.Client, header: str) -> None:
    answer = http.get(f"/health-units/unidade/{demo.QUIET}/risco", headers={"Authorization": header})
    assert answer.status_code == 401


def test_a_token_of_several_operations_opens_each_until_its_own_last_day() -> None:
    further = "health_units.list_risks"
    token, entry = fixed_tokens.make_fixed_token(RISK, TODAY + timedelta(days=30))
    listed = FixedTokens("", [entry, entry._replace(operation=further, until=TODAY + timedelta(days=2))])
    header, scopes, now = f"Bearer {token}".encode(), ("sms:read",), datetime.now(UTC).timestamp()
    for operation in (RISK, further):
        caller = listed.find(operation, scopes, header, now)
        assert caller is not None
        assert caller.subject == entry.name
    assert listed.find("health_units.read_unit", scopes, header, now) is None
    later = now + 5 * 86_400
    assert listed.find(RISK, scopes, header, later) is not None
    with pytest.raises(TokenRefused):
        listed.find(further, scopes, header, later)


@pytest.fixture
def without_the_first(settings: Settings, database_url: str) -> Iterator[httpx.Client]:
    """Yield a client of a process whose setting lists only the second token."""
    left = settings.model_copy(update={"fixed_service_tokens": fixed_tokens.format_entry(TOKENS[1][1])})
    with (
        RunningServer(app.build_application(left, database_url, ["health_units"])) as running,
        httpx.Client(base_url=running.url, timeout=PATIENCE) as client,
    ):
        yield client


@pytest.mark.cases("health_units", "39")
def test_a_token_that_is_listed_no_longer_opens_nothing(without_the_first: httpx.Client) -> None:
    assert [read(without_the_first, token).status_code for token, _ in TOKENS] == [401, 200]


def test_its_bearer_is_a_machine_with_the_operations_scopes_until_its_last_day() -> None:
    token, entry = fixed_tokens.make_fixed_token(RISK, date(2026, 1, 31))
    listed = FixedTokens("", [entry])
    header = f"bearer  {token}".encode()
    last_moment = datetime(2026, 1, 31, 23, 59, 59, tzinfo=UTC).timestamp()
    caller = listed.find(RISK, ("sms:read",), header, last_moment)
    assert caller is not None
    assert caller.is_machine
    assert caller.scopes == {"sms:read"}
    assert caller.roles == frozenset()
    assert (caller.client, caller.subject) == (f"fixed-{entry.digest.hex()[:12]}",) * 2
    with pytest.raises(TokenRefused) as refused:
        listed.find(RISK, ("sms:read",), header, last_moment + 1)
    assert (refused.value.reason, refused.value.is_genuine) == ("token-expired", True)
    assert listed.find(RISK, ("sms:read",), None, last_moment) is None
    assert listed.find(RISK, ("sms:read",), b"Bearer other", last_moment) is None
    assert listed.find(RISK, (), header, last_moment) is None
    assert listed.find("health_units.stream_changes", ("sms:read",), header, last_moment) is None


# ---- in a file ----------------------------------------------------------------------------------------------------

ENTRIES = [fixed_tokens.format_entry(entry) for _, entry in TOKENS]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    listed = tmp_path / "fixed-tokens"
    listed.write_text("# of the portal\n\n" + ", ".join(ENTRIES) + "  # since May\n")
    return listed


@pytest.fixture
def by_file(
    settings: Settings, database_url: str, file: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[httpx.Client]:
    """Yield a client of a process that reads its tokens from the file at every call."""
    assert access.CHECK_SECONDS <= 60
    monkeypatch.setattr(access, "CHECK_SECONDS", 0.0)
    named = Settings.load({"BALCAO_FIXED_SERVICE_TOKENS": str(file)}).fixed_service_tokens
    with (
        RunningServer(
            app.build_application(
                settings.model_copy(update={"fixed_service_tokens": named}), database_url, ["health_units"]
            )
        ) as running,
        httpx.Client(base_url=running.url, timeout=PATIENCE) as client,
    ):
        yield client


def statuses(http: httpx.Client) -> list[int]:
    return [read(http, token).status_code for token, _ in TOKENS]


def test_a_token_that_is_taken_out_of_the_file_opens_nothing_and_one_that_comes_in_does(
    by_file: httpx.Client, file: Path
) -> None:
    assert statuses(by_file) == [200, 200]
    file.write_text(f"{ENTRIES[1]}\n")
    assert statuses(by_file) == [401, 200]
    replacing = file.with_suffix(".new")
    replacing.write_text(f"{ENTRIES[0]}\n")
    replacing.replace(file)
    assert statuses(by_file) == [200, 401]


def test_a_mistake_in_the_file_withdraws_a_token_and_never_keeps_one(
    by_file: httpx.Client, file: Path, caplog: pytest.LogCaptureFixture
) -> None:
    file.write_text(f"{ENTRIES[0]}0\n{ENTRIES[1]}\n")
    assert statuses(by_file) == [401, 200]
    assert "fixed_tokens.line_unreadable" in caplog.text
    file.write_bytes(b"\xff")
    assert statuses(by_file) == [401, 401]
    file.write_text("\n".join(ENTRIES))
    assert statuses(by_file) == [200, 200]
    file.unlink()
    assert statuses(by_file) == [401, 401]
    assert TOKENS[0][0] not in caplog.text


def test_an_expired_or_withdrawn_bearer_is_known_as_such(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(access, "CHECK_SECONDS", 0.0)
    listed = FixedTokens(str(file), [entry for _, entry in TOKENS])
    caller = listed.find(RISK, ("sms:read",), f"Bearer {TOKENS[0][0]}".encode(), 0.0)
    assert caller is not None
    person = Caller("fixed-000000000000", "", None, None, None, frozenset(), frozenset(), 0.0, "https://x")
    assert [listed.has_withdrawn(one) for one in (caller, person)] == [False, False]
    file.write_text("")
    assert [listed.has_withdrawn(one) for one in (caller, person)] == [True, False]


def test_a_file_that_cannot_be_read_or_has_a_wrong_line_is_refused_at_start(file: Path) -> None:
    file.write_text(f"{ENTRIES[0]}\nx\n")
    with pytest.raises(SettingsError, match=f"{file}, linha 2"):
        Settings.load({"BALCAO_FIXED_SERVICE_TOKENS": str(file)})
    file.unlink()
    with pytest.raises(SettingsError, match=f"{file} não pode ser lido"):
        Settings.load({"BALCAO_FIXED_SERVICE_TOKENS": str(file)})


HASH = "0" * 64


@pytest.mark.parametrize(
    "entry",
    [
        pytest.param("x", id="no part"),
        pytest.param(f"{RISK}:{HASH}", id="no day"),
        pytest.param(f"{RISK}:2027-02-30:{HASH}", id="no day of the calendar"),
        pytest.param(f"{RISK}:{TODAY}:{HASH[1:]}", id="no digest"),
        pytest.param(f"{RISK}:{TODAY}:{HASH},y", id="a second of another form"),
        # 402 days, because midnight may pass before the test runs.
        pytest.param(f"{RISK}:{TODAY + timedelta(days=402)}:{HASH}", id="too late a day"),
    ],
)
def test_an_entry_of_another_form_or_beyond_four_hundred_days_is_refused(entry: str) -> None:
    with pytest.raises(SettingsError, match="BALCAO_FIXED_SERVICE_TOKENS"):
        Settings.load({"BALCAO_FIXED_SERVICE_TOKENS": entry})


@pytest.mark.parametrize("operation", ["registry.read_citizens", "agents.check_token", "access.update_action"])
def test_an_operation_that_no_machine_calls_by_scope_is_refused_at_start(operation: str) -> None:
    settings = Settings(fixed_service_tokens=f"{operation}:{TODAY}:{HASH}")
    with pytest.raises(SettingsError, match=operation):
        app.build_application(settings, "postgresql://127.0.0.1:1/x")
