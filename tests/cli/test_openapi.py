"""`balcao openapi`: the committed descriptions match the code."""

import json
from pathlib import Path

import pytest

from balcao import app
from tests.support.terminal import Terminal

PROJECT = Path(__file__).parents[2]


def test_the_committed_descriptions_are_those_of_the_code() -> None:
    done = Terminal(PROJECT).run("openapi", "--check")
    assert done.returncode == 0, done.stderr


@pytest.mark.long
def test_a_drift_is_named_and_a_new_writing_ends_it(tmp_path: Path) -> None:
    """The command reports a changed description, and restores it.

    The committed files match the code (see the previous test), so they are the expected result.
    """
    committed = {path.name: path.read_bytes() for path in (PROJECT / "openapi").glob("*.json")}
    terminal, folder = Terminal(tmp_path), tmp_path / "openapi"
    folder.mkdir()
    for name, content in committed.items():
        (folder / name).write_bytes(content)
    (folder / "registry.json").write_text(json.dumps({"openapi": "3.1.0"}))
    message = terminal.refusal("openapi", "--check")
    assert "registry.json" in message
    assert "search.json" not in message
    (folder / "search.json").unlink()
    assert terminal.run("openapi").returncode == 0
    assert {path.stem for path in folder.iterdir()} == set(app.NAMES)
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == committed
