"""`balcao openapi`: the committed descriptions are those of the code."""

import json
from pathlib import Path

from balcao import app
from tests.support.terminal import Terminal

PROJECT = Path(__file__).parents[2]


def test_the_committed_descriptions_are_those_of_the_code() -> None:
    done = Terminal(PROJECT).run("openapi", "--check")
    assert done.returncode == 0, done.stderr


def test_a_drift_is_named_and_a_new_writing_ends_it(tmp_path: Path) -> None:
    terminal = Terminal(tmp_path)
    assert terminal.run("openapi").returncode == 0
    assert {path.stem for path in (tmp_path / "openapi").iterdir()} == set(app.NAMES)
    changed = tmp_path / "openapi" / "registry.json"
    changed.write_text(json.dumps({"openapi": "3.1.0"}))
    message = terminal.refusal("openapi", "--check")
    assert "registry.json" in message
    assert "search.json" not in message
    assert terminal.run("openapi").returncode == 0
    assert terminal.run("openapi", "--check").returncode == 0
