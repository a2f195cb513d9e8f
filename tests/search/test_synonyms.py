"""Synonym groups: each member of a group also finds all others (rules: search 4.6, synonyms)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from balcao.search.portuguese.analysis import read_word, tokenize
from balcao.search.public_search.synonyms import SYNONYM_WEIGHT, Synonyms
from tests.search.small_catalogue import SmallCatalogue

GROUP = ("iptu", "imposto predial", "tributo")
SYNONYMS = Synonyms([GROUP, ("predial", "edifício"), ("boleto", "guia", "carnê")])
MEMBERS = [term for group in (GROUP, ("boleto", "guia", "carnê")) for term in group]


@pytest.mark.parametrize("typed", GROUP)
def test_each_member_stands_for_all_others(typed: str) -> None:
    [term] = SYNONYMS.widen(tokenize(typed))
    own, *others = term.alternatives
    assert own.weight == 1.0
    assert {each.weight for each in others} == {SYNONYM_WEIGHT}
    assert {" ".join(each.roots) for each in term.alternatives} == {"iptu", "imposto predial", "tributar"}
    assert all(each.is_phrase == (len(each.roots) > 1) for each in others)
    assert not own.is_phrase, "the words as typed may be in different places"


@given(typed=st.sampled_from(MEMBERS), written=st.sampled_from(MEMBERS))
def test_a_service_with_one_member_is_found_by_every_other_one(typed: str, written: str) -> None:
    group = next(group for group in (GROUP, ("boleto", "guia", "carnê")) if written in group)
    catalogue = SmallCatalogue(f"Emissão de {written}", "Poda de árvore", synonyms=SYNONYMS)
    assert catalogue.find(typed).total == (1 if typed in group else 0)


def test_the_longest_member_counts_and_other_words_stay_terms() -> None:
    terms = SYNONYMS.widen(tokenize("imposto predial atrasado"))
    assert [term.folded for term in terms] == ["imposto predial", "atrasado"]
    assert read_word("edificio").roots[:1] not in {each.roots for each in terms[0].alternatives}


def test_a_split_term_has_its_words_with_their_own_synonyms() -> None:
    [term] = SYNONYMS.widen(tokenize("imposto predial"))
    words = SYNONYMS.split(term)
    assert [word.folded for word in words] == ["imposto", "predial"]
    assert read_word("edificio").roots[:1] in {each.roots for each in words[1].alternatives}
    assert SYNONYMS.split(words[0]) == [words[0]]


def test_a_word_in_two_groups_stands_for_the_members_of_both() -> None:
    synonyms = Synonyms([("vaga", "lugar"), ("vaga", "emprego")])
    [term] = synonyms.widen(tokenize("vaga"))
    assert {read_word(word).roots[0] for word in ("lugar", "emprego")} <= {
        root for each in term.alternatives for root in each.roots
    }


def test_only_members_of_one_word_are_known_words() -> None:
    assert SYNONYMS.has(read_word("iptu"))
    assert not SYNONYMS.has(read_word("imposto"))
    assert SYNONYMS.list_beginning("ip") == ["iptu"]
    assert SYNONYMS.list_beginning("impos") == []


def test_a_member_of_stop_words_only_is_ignored() -> None:
    assert len(Synonyms([("de", "vaga")]).widen(tokenize("vaga"))[0].alternatives) == len(read_word("vaga").roots)
