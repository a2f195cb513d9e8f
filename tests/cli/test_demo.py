"""`balcao demo` with the operator's own database."""

import pytest

from tests.support.terminal import Terminal

pytestmark = pytest.mark.long


def test_the_demo_is_loaded_when_asked_for_and_shown_as_tables(terminal: Terminal) -> None:
    assert "`balcao demo --load` os carrega" in terminal.refusal("demo")
    loaded = terminal.run("demo", "--load")
    assert loaded.returncode == 0, loaded.stderr
    for heading in ("Pessoas", "Clientes", "Exemplos", "Endereços"):
        assert heading in loaded.stdout
    people = terminal.json("demo", "--json")["people"]
    assert all(person["name"] in loaded.stdout for person in people)
