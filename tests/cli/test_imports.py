"""Tests for the services' import commands."""

from pathlib import Path

import pytest

from tests.support.terminal import Terminal

SAMPLES = Path(__file__).parents[2] / "docs/operate/samples"


@pytest.mark.parametrize("service", ["agents", "employability", "health-units"])
def test_an_unknown_kind_is_refused_with_those_that_there_are(terminal: Terminal, service: str) -> None:
    said = terminal.refusal(service, "import", "file.jsonl", "--kind", "nothing")
    assert "use um de: " in said


def test_versions_of_agents_are_imported_once(terminal: Terminal) -> None:
    words = ("agents", "import", str(SAMPLES / "agents/versions.jsonl"), "--kind", "versions")
    assert "Nada foi gravado." in terminal.run(*words, "--dry-run").stdout
    assert terminal.run(*words).returncode == 0
    assert "Nada mudou." in terminal.run(*words).stdout
