"""If the trial's distribution is not installed, the sandbox profile says what to install.

Production never looks for the distribution.
"""

import pytest

from balcao import sandbox
from balcao.cli.commands import list_entries
from balcao.operate.processes.plan import make_plan
from balcao.settings import Settings, SettingsError


@pytest.fixture
def alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make the trial look uninstalled.

    Its parts are searched for in an entry point group to which no distribution contributes.
    """
    monkeypatch.setattr(sandbox, "GROUP", "balcao.sandbox.of-nobody")
    monkeypatch.setattr(sandbox, "find_parts", sandbox.find_parts.__wrapped__)


@pytest.mark.usefixtures("alone")
def test_the_sandbox_without_the_trial_says_what_to_install() -> None:
    with pytest.raises(SettingsError, match=r"instale o pacote balcao-sandbox, .*src/balcao_sandbox.*make run"):
        make_plan(Settings(), (), worker=None)


@pytest.mark.usefixtures("alone")
def test_a_part_of_the_trial_that_is_not_installed_is_missed_in_the_same_words() -> None:
    with pytest.raises(SettingsError) as refused:
        sandbox.load(Settings(), "crm")
    assert str(refused.value) == sandbox.NOT_INSTALLED


@pytest.mark.usefixtures("alone")
def test_commands_of_the_trial_come_with_it() -> None:
    assert "sandbox" not in list_entries()
    assert "serve" in list_entries()


def test_production_lists_no_command_of_the_trial(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "sandbox" in list_entries()
    monkeypatch.setenv("BALCAO_PROFILE", "production")
    assert "sandbox" not in list_entries()


def test_production_takes_no_part_of_the_trial() -> None:
    with pytest.raises(SettingsError, match="BALCAO_DATABASE_URL está vazio"):
        sandbox.load(Settings(profile="production"), "crm")
