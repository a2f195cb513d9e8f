"""Every case of the page (rules: access 6) is claimed by a module of tests."""

import re
from pathlib import Path

TESTS = Path(__file__).parents[1]
PAGE = TESTS.parent / "docs/reference/rules/access.md"
_CITATION = re.compile("rules" + r": access [^)]*?cases? ([0-9, -]+)\)")


def list_cases() -> set[int]:
    section = PAGE.read_text("utf-8").partition("\n## 6. Cases")[2].partition("\n## ")[0]
    return {int(number) for number in re.findall(r"^\| (\d+) \|", section, re.MULTILINE)}


def list_claimed(text: str) -> set[int]:
    claimed: set[int] = set()
    for listed in _CITATION.findall(text):
        for part in listed.split(","):
            first, _, last = part.strip().partition("-")
            claimed |= set(range(int(first), int(last or first) + 1))
    return claimed


def test_every_case_is_claimed_by_a_test() -> None:
    claimed = {case for file in TESTS.rglob("test_*.py") for case in list_claimed(file.read_text("utf-8"))}
    assert len(list_cases()) == 55
    assert list_cases() - claimed == set()
