"""People paste values with other dashes, blanks and invisible characters (rules: registry 2.4)."""

import pytest

from balcao.core.values.pasted import clean_pasted, compact_pasted
from balcao.core.values.phones import Phone, parse_phone

NO_BREAK, ZERO_WIDTH, JOINER, MARK = "\u00a0", "\u200b", "\u2060", "\ufeff"
DASHES = "-\u2010\u2011\u2012\u2013\u2014\u2015\u2212\u2043\ufe58\ufe63\uff0d"


@pytest.mark.parametrize("dash", DASHES)
def test_a_number_is_the_same_with_every_dash(dash: str) -> None:
    assert compact_pasted(f"900.000.001{dash}75") == "90000000175"
    assert clean_pasted(f"ana@porto{dash}aurora.example") == "ana@porto-aurora.example"


@pytest.mark.parametrize("mark", [NO_BREAK, ZERO_WIDTH, JOINER, MARK, "\u202a", "\u202c", "\u200e", "\u00ad", "\u2009"])
def test_blanks_and_invisible_marks_do_not_count(mark: str) -> None:
    assert compact_pasted(f"{mark}900{mark}000.001-75{mark}\n") == "90000000175"
    assert clean_pasted(f"{mark}ana@porto.example{mark}") == "ana@porto.example"
    assert parse_phone(f"{mark}+49{mark}30 901820") == Phone("49", "", "30901820")


@pytest.mark.parametrize(
    ("text", "phone"),
    [
        ("(21) 98888-7766", Phone("55", "21", "988887766")),
        ("+55\u00a021\u00a098888\u20117766", Phone("55", "21", "988887766")),
        ("49 3090-1820", Phone("55", "49", "30901820")),
        ("+49 30 901820", Phone("49", "", "30901820")),
        ("+1 (212) 555-0123", Phone("1", "", "2125550123")),
        ("+351 912 345 678", Phone("351", "", "912345678")),
        ("+55 98888-7766", None),
    ],
)
def test_a_plus_makes_a_number_international(text: str, phone: Phone | None) -> None:
    assert parse_phone(text) == phone
