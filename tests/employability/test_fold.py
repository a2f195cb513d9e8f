"""SQL folds Portuguese text as Python does. All normal forms of a text have the same folded text."""

import unicodedata

import httpx
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from balcao.employability.reference_values.kinds import Kind, seed_value_id
from tests.employability.people import staff
from tests.support.fixture_types import Sql
from tests.support.issuer import Issuer

PATH = "/jobs/api/v1/empregabilidade/disponibilidades/"
FIRST, SECOND = (PATH + str(seed_value_id(Kind.AVAILABILITY, text)) for text in ("Imediato", "Em até 15 dias"))
LETTERS = "aáàâãäbcçdeéèêëiíîïnñoóòôõöuúùûüyz"
PORTUGUESE = st.text(LETTERS + LETTERS.upper() + "019()/-&ºª \u00a0\u2003", max_size=40)
SHORT = st.text("aáÁAbB ", min_size=1, max_size=5)
ANY = st.text(st.characters(exclude_categories=["Cs", "Cc", "Cn"]), max_size=40)


def fold(text: str) -> str:
    bare = "".join(char for char in unicodedata.normalize("NFD", text) if not unicodedata.combining(char))
    return " ".join(bare.casefold().split())


def fold_in_database(sql: Sql, texts: list[str]) -> list[str]:
    rows = sql(
        "SELECT employability.folded(t) AS f FROM unnest($1::text[]) WITH ORDINALITY AS u(t, n) ORDER BY n", texts
    )
    return [row["f"] for row in rows]


@given(texts=st.lists(PORTUGUESE, min_size=1, max_size=20))
def test_portuguese_texts_fold_as_in_python(sql: Sql, texts: list[str]) -> None:
    assert fold_in_database(sql, texts) == [fold(text) for text in texts]


@given(text=ANY, blank=st.sampled_from(" \u00a0\u2009\u3000"))
def test_any_text_folds_alike_in_every_normal_form_and_with_more_blanks(sql: Sql, text: str, blank: str) -> None:
    written = [
        text,
        unicodedata.normalize("NFC", text),
        unicodedata.normalize("NFD", text),
        f"{blank} {text}{blank}",
        text.replace(" ", blank * 2),
    ]
    once = fold_in_database(sql, written)
    assert len(set(once)) == 1
    assert fold_in_database(sql, once) == once


@settings(max_examples=60)
@given(held=SHORT, wanted=SHORT)
def test_a_text_is_taken_exactly_when_it_folds_to_another_values(
    http: httpx.Client, issuer: Issuer, held: str, wanted: str
) -> None:
    assume(held.strip() and wanted.strip())
    caller = staff(issuer)
    assert http.put(SECOND, json={"descricao": "Livre de conflito"}, headers=caller).status_code == 200
    assert http.put(FIRST, json={"descricao": held}, headers=caller).status_code == 200
    answer = http.put(SECOND, json={"descricao": wanted}, headers=caller)
    assert answer.status_code == (409 if fold(held) == fold(wanted) else 200)
