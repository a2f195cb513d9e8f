"""If the operator makes a mistake, a command prints one sentence and fails, without a traceback."""

import errno
from collections.abc import Iterator
from pathlib import Path

import pytest

from balcao.operate import faults
from balcao.operate.faults import OperatorFault
from balcao.operate.processes import plan
from balcao.settings import Settings, SettingsError
from tests.support import databases
from tests.support.server import free_port
from tests.support.terminal import Serving, Terminal

NOWHERE = "postgresql://balcao:segredo@127.0.0.1:9/balcao"


@pytest.fixture
def unprepared() -> Iterator[str]:
    name = databases.new_name()
    yield databases.create(name, "template1")
    databases.drop(name)


def test_production_names_every_sandbox_part_and_public_secret(tmp_path: Path) -> None:
    message = Terminal(tmp_path, profile="production").refusal("serve")
    for name in ("BALCAO_CLIENT_SECRET", "BALCAO_HASH_KEY", "BALCAO_DATABASE_URL", "BALCAO_AUTH_ISSUER"):
        assert name in message
    assert list(tmp_path.iterdir()) == []


def test_production_refuses_a_worker_alike(tmp_path: Path) -> None:
    assert "BALCAO_HASH_KEY" in Terminal(tmp_path, profile="production").refusal("worker")


def test_production_has_no_demo_data_and_no_sandbox_crm(tmp_path: Path) -> None:
    """The distribution that contains these commands is not installed in production."""
    terminal = Terminal(tmp_path, profile="production")
    assert terminal.run("demo").stderr.startswith("O comando demo não existe.")
    assert terminal.run("sandbox", "crm").stderr.startswith("O comando sandbox não existe.")


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"port": "abc"}, "BALCAO_PORT"),
        ({"profile": "teste"}, "BALCAO_PROFILE"),
        ({"auth_issuer": "x"}, "BALCAO_AUTH_ISSUER"),
    ],
)
def test_a_setting_that_cannot_be_is_named(tmp_path: Path, settings: dict[str, str], message: str) -> None:
    assert message in Terminal(tmp_path, **settings).refusal("serve")


def test_an_unknown_service_is_named_with_those_that_exist(tmp_path: Path) -> None:
    assert "health_units" in Terminal(tmp_path).refusal("serve", "saude")


@pytest.mark.long
@pytest.mark.parametrize("words", [("serve",), ("worker",), ("migrate",), ("jobs", "list"), ("demo",)], ids=" ".join)
def test_a_database_that_is_away_is_told_without_its_password(tmp_path: Path, words: tuple[str, ...]) -> None:
    message = Terminal(tmp_path, database_url=NOWHERE, port=free_port()).refusal(*words)
    assert "O banco de dados não responde" in message
    assert "segredo" not in message


@pytest.mark.long
@pytest.mark.parametrize("words", [("serve",), ("worker",), ("jobs", "list"), ("demo",)], ids=" ".join)
def test_a_database_of_ones_own_is_never_migrated_unasked(
    tmp_path: Path, unprepared: str, words: tuple[str, ...]
) -> None:
    message = Terminal(tmp_path, database_url=unprepared, port=free_port()).refusal(*words)
    assert "execute `balcao migrate`" in message


@pytest.mark.long
def test_migrate_prepares_it_once_and_then_it_serves(tmp_path: Path, unprepared: str) -> None:
    terminal = Terminal(tmp_path, database_url=unprepared, port=free_port())
    first, second = terminal.run("migrate"), terminal.run("migrate")
    assert (first.returncode, second.returncode) == (0, 0)
    assert "em dia: 0 migrações" in second.stdout
    assert "em dia: 0 migrações" not in first.stdout
    with Serving(terminal, "health_units") as serving:
        assert "`balcao demo --load`" in serving.said


def test_commands_without_any_data_say_how_to_make_them(tmp_path: Path) -> None:
    assert "execute `balcao serve`" in Terminal(tmp_path).refusal("jobs", "list")


def test_a_token_without_a_platform_says_how_to_start_it(tmp_path: Path) -> None:
    assert "execute `balcao serve`" in Terminal(tmp_path, port=free_port()).refusal("token", "ana")


@pytest.mark.parametrize(
    "address",
    [
        "postgresql://a@h/b", "postgresql://a:p%40@h1:5432,h2,[::1]:5433/b?target_session_attrs=any", "postgres:///b",
        "postgresql://balcao@/balcao?host=%2Ftmp%2Fsocket&port=1",
    ],
)  # fmt: skip
def test_addresses_of_databases_are_taken(address: str) -> None:
    assert Settings.load({"BALCAO_DATABASE_URL": address}).database_url == address


@pytest.mark.parametrize(
    ("variable", "address"),
    [
        ("BALCAO_DATABASE_URL", "postgresql://[::1/x"),
        ("BALCAO_DATABASE_URL", "postgresql://a@127.0.0.1:5432,127.0.0.1:abc/x"),
        ("BALCAO_DATABASE_URL", "postgresql://a b/x"),
        ("BALCAO_REDIS_URL", "foo"),
        ("BALCAO_REDIS_URL", "redis://h:abc"),
        ("BALCAO_REDIS_URL", "redis://[::1"),
        ("BALCAO_CRM_URL", "http://[::1"),
        ("BALCAO_AUTH_ISSUER", "https://a.example, https://b:x"),
        ("BALCAO_PUBLIC_URL", "http://a b"),
        ("BALCAO_SMTP_URL", "smtp://[::1"),
    ],
)
def test_an_address_that_is_none_is_said_by_the_variable(variable: str, address: str) -> None:
    with pytest.raises(SettingsError, match=rf"^{variable}: (não é um endereço|use redis).*\.$"):
        Settings.load({variable: address})


@pytest.mark.parametrize("host", ["a b", "é" * 70, "nohost.invalid", "192.0.2.1"])
def test_a_host_that_cannot_be_listened_on_is_a_sentence(host: str) -> None:
    with pytest.raises(OperatorFault, match="BALCAO_"), plan.claiming(host, free_port(), "APIs"):
        pass


def test_a_file_that_cannot_be_used_is_named(tmp_path: Path) -> None:
    (tmp_path / ".balcao").write_text("")
    for words in (("serve",), ("migrate",)):
        assert ".balcao" in Terminal(tmp_path, port=free_port()).refusal(*words)


@pytest.mark.parametrize(
    ("fault", "sentence"),
    [
        (OSError(errno.ENOSPC, "No space left on device"), "O disco está cheio: libere espaço e repita."),
        (PermissionError(errno.EACCES, "Permission denied", "a.txt"), "Sem permissão para usar a.txt: "),
        (FileNotFoundError(errno.ENOENT, "No such file", "b.txt"), "b.txt não existe: confira o caminho."),
        (IsADirectoryError(errno.EISDIR, "Is a directory", "c"), "c é uma pasta: indique um arquivo."),
        (OSError(errno.EIO, "Input/output error", "d.txt"), "Não é possível usar d.txt: Input/output error."),
        (ExceptionGroup("x", [SettingsError("x")]), "x"),
        (ValueError("um valor de alguém"), None),
    ],
)
def test_a_fault_is_explained_where_the_operator_can_mend_it(fault: Exception, sentence: str | None) -> None:
    assert (faults.explain_fault(fault) or "").startswith(sentence or "")
    assert (faults.explain_fault(fault) is None) == (sentence is None)


def test_a_fault_of_ours_is_a_sentence_too_with_a_status_of_its_own(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail() -> None:
        with faults.explained():
            raise ValueError("um valor de alguém")

    with pytest.raises(SystemExit) as ended:
        fail()
    said = capsys.readouterr().err
    assert (ended.value.code, said.count("\n"), "(ValueError em test_faults.py:" in said) == (70, 1, True)
    assert "alguém" not in said
    monkeypatch.setenv("BALCAO_LOG_LEVEL", "debug")
    with pytest.raises(ValueError, match="alguém"):
        fail()
