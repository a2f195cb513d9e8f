"""Untrusted strings are normalised at a cost that is linear in their length."""

import sys
import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from balcao.core.errors import Invalid
from balcao.core.values import text
from balcao.core.values.text import LONGEST_RUN_OF_MARKS, clean_text, stacks_marks
from tests.support.proof_sizes import EXAMPLES

ABOVE, BELOW, HIDDEN = "\u0301", "\u0316", "\u0f73"


class Normaliser:
    """A wrapper of `unicodedata` that records the length of the longest string it normalises."""

    def __init__(self) -> None:
        self.longest = 0

    def normalize(self, form: str, value: str) -> str:
        self.longest = max(self.longest, len(value))
        return unicodedata.normalize(form, value)  # type: ignore[arg-type]

    def __getattr__(self, name: str) -> object:
        return getattr(unicodedata, name)


@pytest.mark.parametrize("letter", ["a", "\u00e9", " \u00e9", ABOVE, f"a{BELOW}", HIDDEN], ids=ascii)
def test_a_text_that_can_never_be_short_enough_is_refused_before_it_is_normalised(
    monkeypatch: pytest.MonkeyPatch, letter: str
) -> None:
    normaliser = Normaliser()
    monkeypatch.setattr(text, "unicodedata", normaliser)
    with pytest.raises(Invalid) as refused:
        clean_text("nome", letter * 1_000_000, longest=100)
    assert refused.value.code == "nome-length"
    assert normaliser.longest == 0


def test_what_passes_without_a_closer_look_is_visible_whole_and_in_its_normal_form() -> None:
    plain = [char for char in map(chr, range(sys.maxunicode + 1)) if text._PLAIN.fullmatch(char)]
    assert {"a", "Z", "9", "ç", "ã", "º", "€"} - set(plain) == {"€"}
    assert not [char for char in plain if unicodedata.category(char) in {"Cf", "Cs", "Zl", "Zp"}]
    assert [char for char in plain if unicodedata.category(char) in {"Cc", "Zs"}] == ["\t", "\n", "\r", " "]
    assert not [char for char in plain if unicodedata.combining(char)]
    # A text without combining marks is already normalised, whatever the order of its characters.
    for shift in range(len(plain)):
        whole = "".join(plain[shift:] + plain[:shift])
        assert unicodedata.is_normalized("NFC", whole)


@pytest.mark.parametrize("marks", [ABOVE + BELOW, HIDDEN, BELOW], ids=ascii)
@pytest.mark.parametrize("beginning", [0, 1, 17, 30, 31, 62])
def test_more_marks_than_any_language_has_are_refused_before_they_are_put_in_order(
    monkeypatch: pytest.MonkeyPatch, marks: str, beginning: int
) -> None:
    normaliser = Normaliser()
    monkeypatch.setattr(text, "unicodedata", normaliser)
    run = (marks * (LONGEST_RUN_OF_MARKS + 1))[: LONGEST_RUN_OF_MARKS + 1]
    with pytest.raises(Invalid) as refused:
        clean_text("nome", "a" * beginning + run + "z", longest=1000)
    assert refused.value.code == "nome-marks"
    assert normaliser.longest == 0
    assert clean_text("nome", "a" * beginning + run[:-1] + "z", longest=1000)


@pytest.mark.parametrize(
    ("typed", "code"),
    [
        ("a\0b", "nome-control"),
        ("a\x85b", "nome-control"),
        ("\ud800", "nome-control"),
        ("", "nome-length"),
        (" \n", "nome-length"),
        ("\u200b", "nome-length"),
        ("a" * 11, "nome-length"),
    ],
    ids=ascii,
)
def test_what_is_wrong_with_a_text_is_told_by_a_code_of_its_field(typed: str, code: str) -> None:
    with pytest.raises(Invalid) as refused:
        clean_text("nome", typed, longest=10)
    assert refused.value.code == code


@settings(max_examples=EXAMPLES)
@given(st.lists(st.sampled_from(["a", "\u00e9", "e\u0301", "\u1f82", "\uac01", "\u1112\u1161\u11ab", " ", "\u0958"])))
def test_no_text_within_its_bounds_is_refused_for_how_it_was_typed(parts: list[str]) -> None:
    for form in ("NFC", "NFD"):
        typed = unicodedata.normalize(form, "".join(parts))
        normal = unicodedata.normalize("NFC", typed.strip()).strip()
        if normal:
            assert clean_text("nome", typed, longest=len(normal)) == normal


@settings(max_examples=EXAMPLES)
@given(st.text(alphabet=["a", ABOVE, BELOW, HIDDEN, "\u00e9"], max_size=200))
def test_a_stack_of_marks_is_found_wherever_it_stands(typed: str) -> None:
    longest = run = 0
    for char in typed:
        run = run + 1 if char in {ABOVE, BELOW, HIDDEN} else 0
        longest = max(longest, run)
    assert stacks_marks(typed) == (longest > LONGEST_RUN_OF_MARKS)
