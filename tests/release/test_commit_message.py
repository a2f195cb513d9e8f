"""All commit messages since the hook was added follow CONTRIBUTING. The hook rejects any other message."""

import subprocess
from pathlib import Path

import pytest

from tools.commit_message import list_faults, main
from tools.release.components import ROOT

SINCE = "2026-11-29T03:00:00Z"  # when the hook was added


def test_commits_since_the_rule_have_its_form() -> None:
    log = subprocess.run(
        ["git", "log", "--no-merges", f"--since={SINCE}", "--format=%B%x00"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    messages = [message.strip() for message in log.stdout.split("\0") if message.strip()]
    assert {message.splitlines()[0]: list_faults(message) for message in messages if list_faults(message)} == {}


@pytest.mark.parametrize(
    ("message", "faults"),
    [
        ("search: keep drafts out of results", 0),
        ("search: keep drafts out of results\n\nA draft was shown.\n# a comment of Git", 0),
        ("Keep drafts out of results", 1),
        ("search: keep drafts out of results.", 1),
        ("search: keep drafts out of results\nA draft was shown.", 1),
        (f"search: {'x' * 65}", 1),
        ("", 1),
    ],
)
def test_the_hook_refuses_another_form(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], message: str, faults: int
) -> None:
    file = tmp_path / "message"
    file.write_text(message)
    assert main([str(file)]) == bool(faults)
    assert len(capsys.readouterr().out.splitlines()) == faults
