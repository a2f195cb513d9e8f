"""docs/reference/errors.md explains every `Error-Code`."""

import re
from pathlib import Path
from types import ModuleType

import pytest

from balcao.core import errors
from balcao.core.errors import Conflict, NotFound
from balcao.identity.oauth import Refused
from balcao_sandbox.identity.faults import SentBack
from tests.support.rules import read_table, read_values
from tools import error_codes
from tools.error_codes import PACKAGES, PAGE, Raised, declared, raised, raised_in

TESTS = Path(__file__).parents[1]
# Functions that read a table of a rules page.
READERS = {"read_table": read_table, "read_values": read_values}
_READ = re.compile(r'\b(read_table|read_values)\("(\w+)", "([^"]+)"\)')
# The folders with the tests of a package's error codes, if they are not named after the package.
ELSEWHERE = {"core": ["."], "crm": ["crm", "registry"], "identity": ["identity", "sandbox/identity"]}

_MODULE = ModuleType("balcao.registry.example")
vars(_MODULE).update(
    Conflict=Conflict, NotFound=NotFound, Refused=Refused, SentBack=SentBack, errors=errors, TAKEN="name-taken"
)


def test_every_code_of_the_source_is_explained_and_nothing_else() -> None:
    explained = {(package, code) for package in PACKAGES for code in declared(package)}
    assert {(found.package, found.code) for found in raised()} == explained


def test_every_explanation_tells_cause_and_remedy_in_a_sentence() -> None:
    entries = [entry for package in PACKAGES for entry in declared(package).values()]
    texts = [text for entry in entries for text in (entry.cause, entry.fix, entry.meaning)]
    assert [text for text in texts if not text.endswith(".") or "|" in text] == []


def test_every_explanation_names_the_statuses_that_the_code_comes_with() -> None:
    raised_with: dict[tuple[str, str], set[int]] = {}
    for found in raised():
        raised_with.setdefault((found.package, found.code), set()).add(found.status)
    for package in PACKAGES:
        for code, entry in declared(package).items():
            assert set(entry.status) == raised_with[package, code], (package, code)


def test_the_page_is_what_the_code_says() -> None:
    """`make docs` writes this page."""
    assert PAGE.read_text("utf-8") == error_codes.page()


@pytest.mark.parametrize("package", PACKAGES)
def test_every_code_stands_in_a_test_that_brings_it_about(package: str) -> None:
    files = [path for folder in ELSEWHERE.get(package, [package]) for path in (TESTS / folder).rglob("*.py")]
    source = "\n".join(path.read_text("utf-8") for path in files if path != Path(__file__))
    for read, *table in _READ.findall(source):
        source += re.sub("[`']", '"', str(READERS[read](*table)))
    assert [code for code in declared(package) if not re.search(_quoted(code), source)] == []


def _quoted(code: str) -> str:
    return '"' + re.escape(code).replace("<field>", r"[\w.\[\]]+") + '"'


@pytest.mark.parametrize(
    ("source", "code", "status"),
    [
        ('raise Conflict("Já existe.", code="name-taken")', "name-taken", 409),
        ("raise Conflict(code=TAKEN)", "name-taken", 409),
        ('raise NotFound("Não há.", code=f"{name}-unknown")', "<field>-unknown", 404),
        ('raise errors.NotFound(code="unknown")', "unknown", 404),
        ('refusal = Refused("invalid_scope", "Não.")', "invalid-scope", 400),
        ('raise SentBack("login_required", "Não.")', "login-required", 303),
    ],
)
def test_a_code_is_read_from_the_source(source: str, code: str, status: int) -> None:
    assert list(raised_in(_MODULE, source)) == [Raised("registry", code, status)]


def test_a_code_that_cannot_be_read_is_refused() -> None:
    with pytest.raises(ValueError, match="no code can be read"):
        list(raised_in(_MODULE, "raise Conflict(code=found.code)"))
