"""The word-by-word comparison of two versions."""

import re
from collections.abc import Sequence
from html import unescape
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markupsafe import Markup
from rapidfuzz.distance import Indel

from balcao.panel import diff
from balcao.panel.diff import MOST_PRODUCT, compare, compare_texts, compare_values

TEXTS = st.text(st.characters(codec="utf-8", exclude_categories=["Cs"]), max_size=80)


def read(marked: Markup, *, old: bool) -> str:
    """Reconstruct the old or the new version from the marked text."""
    text = str(marked).replace("</del> <ins>", "</del><ins>")
    for tag, word, is_kept in (("del", "saiu:&nbsp;", old), ("ins", "entrou:&nbsp;", not old)):
        begin, end = f'<{tag}><span class="vh">[{word}</span>', f'<span class="vh">]</span></{tag}>'
        while begin in text:
            before, _, rest = text.partition(begin)
            inside, _, after = rest.partition(end)
            text = before + (inside if is_kept else "") + after
    return unescape(text)


@given(TEXTS, TEXTS)
def test_both_texts_can_be_read_from_what_is_marked(old: str, new: str) -> None:
    marked = compare_texts(old, new)
    assert read(marked, old=True) == old
    assert read(marked, old=False) == new


def test_a_word_that_changed_is_marked_and_the_others_are_not() -> None:
    marked = compare_texts("Leve o carnê antigo", "Leve o carnê novo")
    assert marked == Markup(
        'Leve o carnê <del><span class="vh">[saiu:&nbsp;</span>antigo<span class="vh">]</span></del> '
        '<ins><span class="vh">[entrou:&nbsp;</span>novo<span class="vh">]</span></ins>'
    )


@given(TEXTS.filter(bool), TEXTS.filter(bool))
def test_no_word_that_went_runs_into_one_that_came(old: str, new: str) -> None:
    shown = re.sub("<span[^>]*>[^<]*</span>", "", str(compare_texts(f"a{old}", f"b{new}")))
    assert re.search(r"\S</del><ins>\S", shown) is None


def test_what_people_wrote_is_no_markup() -> None:
    assert "<script" not in compare_texts("<script>1</script>", "<script>2</script>")
    assert "<img" not in compare_values(["<img src=x>"], [])


def test_lists_are_compared_line_by_line() -> None:
    marked = compare_values(["RG", "CPF"], ["RG", "CPF", "Comprovante"])
    assert marked.count("<li>") == 3
    assert marked.count("<ins>") == 1
    assert "<del>" not in marked


def test_long_equal_parts_are_folded() -> None:
    same = "palavra " * 500
    marked = compare_texts(same + "antes", same + "depois")
    assert len(marked) < 500
    assert "[…]" in marked


@pytest.mark.parametrize("length", [20_000, 200_000])
def test_long_texts_of_other_words_are_compared_within_the_bound(length: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every comparison has this limit, so none takes too much time or memory."""
    asked: list[int] = []
    compare_sequences = Indel.opcodes

    def count(one: Sequence[str], other: Sequence[str]) -> Any:
        asked.append(len(one) * len(other))
        return compare_sequences(one, other)

    monkeypatch.setattr(diff, "Indel", SimpleNamespace(opcodes=count))
    old, new = (" ".join(f"{word}{number}" for number in range(length // 7)) for word in ("a", "b"))
    marked = compare_texts(old, new)
    assert read(marked, old=True) == old
    assert read(marked, old=False) == new
    assert all(product <= MOST_PRODUCT for product in asked)


def test_a_change_in_a_very_long_text_is_marked_by_the_word() -> None:
    same = "palavra " * 50_000
    assert compare_texts(f"{same}antes {same}", f"{same}depois {same}").count("<del>") == 1


def test_many_changes_in_a_very_long_text_are_marked_by_the_line() -> None:
    old = "".join(f"{number} " * 20 + "\n" for number in range(3_000))
    marked = compare_texts(old, old.replace("1", "2"))
    assert marked.count("<del>") > 100
    assert str(marked).count("9 9") > 0


def test_words_that_changed_side_by_side_are_marked_in_one_piece() -> None:
    marked = compare_texts("o prazo de dez dias", "o prazo de um mês inteiro")
    assert marked.count("<del>") == marked.count("<ins>") == 1


def test_a_blank_behind_words_that_changed_is_not_marked() -> None:
    marked = str(compare_texts("mudança do sentido de uma rua", "mudança outra palavra-chave nova de uma rua"))
    assert "do sentido<" in marked
    assert "nova<" in marked
    assert marked.endswith("</ins> de uma rua")


def test_only_fields_that_differ_are_told_in_the_order_of_the_form() -> None:
    labels = {"titulo": "Título", "resumo": "Resumo", "ativo": "Ativo", "lista": "Lista"}
    changes = compare(
        labels,
        {"resumo": "a", "titulo": "x", "ativo": True, "lista": None},
        {"titulo": "y", "resumo": "a", "lista": []},
    )
    assert [change.label for change in changes] == ["Título", "Ativo"]
