"""The entries of the search index, and the data that readers get from them (rules: search 4.6, index)."""

from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from balcao.search.document import ServiceDocument
from balcao.search.index.reader import IndexState, ServiceIndex
from balcao.search.index.schema import (
    DRAFT,
    EVERY,
    EXCLUSIVE,
    FACETS,
    Order,
    decode_order,
    encode_order,
    write_filter,
)
from balcao.search.index.store import ChangedRow, IndexRow
from balcao.search.index.writer import IndexWriter
from balcao.search.portuguese.analysis import LONGEST_TEXT
from balcao.search.public import PublicService
from balcao.search.public_search.candidates import CITIZENS, Filters, restrict
from tests.search.small_catalogue import SmallCatalogue, make_service


def make_row(name: str, **members: object) -> IndexRow:
    service = make_service(name, **members)
    return IndexRow(service["id"], msgspec.json.encode(service).decode(), 0.0, [])


def count(index: ServiceIndex, *filters: str) -> int:
    return index.search(restrict(index, None, Filters(filters, ())), 100)[0]


def count_open(index: ServiceIndex) -> int:
    return index.search(restrict(index, None, CITIZENS), 100)[0]


@given(
    first=st.tuples(st.integers(0, 1_000_000), st.booleans(), st.integers(0, 2**37)),
    second=st.tuples(st.integers(0, 1_000_000), st.booleans(), st.integers(0, 2**37)),
)
def test_orders_compare_like_their_numbers(first: tuple[int, bool, int], second: tuple[int, bool, int]) -> None:
    one, other = (Order(each[0] / 1_000_000, *each[1:]) for each in (first, second))
    assert decode_order(encode_order(one)) == one
    assert (encode_order(one) < encode_order(other)) == (one < other)
    assert encode_order(one) < 2**63


def test_an_entry_shows_the_public_members_of_its_service() -> None:
    service = make_service("Poda de árvore", resumo="Corta galhos", tema_geral="Cidade", is_free=True)
    [found] = SmallCatalogue(service).search("poda").services
    shown = msgspec.json.decode(msgspec.json.encode(found.service), type=PublicService)
    document = msgspec.convert(service, ServiceDocument)
    members = set(PublicService.__struct_fields__) - {"autor"}
    assert {name: getattr(shown, name) for name in members} == {name: getattr(document, name) for name in members}


@pytest.mark.parametrize(
    ("members", "marks"),
    [
        ({}, {EVERY}),
        ({"status": 0}, {EVERY, DRAFT}),
        ({"agents": {"exclusive_for_agents": True}}, {EVERY, EXCLUSIVE}),
        ({"agents": {"exclusive_for_agents": False}}, {EVERY}),
        ({"status": 0, "agents": {"exclusive_for_agents": True}}, {EVERY, DRAFT, EXCLUSIVE}),
    ],
)
def test_marks_hide_drafts_and_services_for_agents(members: dict[str, object], marks: set[str]) -> None:
    index = SmallCatalogue(make_service("Poda", **members)).index
    assert {each for each in (EVERY, DRAFT, EXCLUSIVE) if count(index, each)} == marks
    assert count_open(index) == (marks == {EVERY})


def test_names_are_filtered_without_accents_case_and_hyphens() -> None:
    index = SmallCatalogue(make_service("Poda", tema_geral="Meio-Ambiente", is_free=True)).index
    assert count(index, write_filter("tema_geral", "MEIO AMBIENTE")) == 1
    assert count(index, write_filter("is_free", "true")) == 1
    assert count(index, write_filter("tema_geral", "Meio")) == 0


def test_facets_count_each_name_once_whatever_its_spelling() -> None:
    services = [
        make_service("Um", tema_geral="Saúde", publico_especifico=["Idosos", "IDOSOS"], is_free=True),
        make_service("Dois", tema_geral="SAUDE", publico_especifico=["Idosos"], sub_categoria="Exames"),
        make_service("Três", tema_geral="Cidade", is_free=False),
    ]
    index = SmallCatalogue(*services).index
    assert index.count_values(restrict(index, None, CITIZENS), FACETS, 20) == {
        "tema_geral": [("SAUDE", 2), ("Cidade", 1)],
        "sub_categoria": [("Exames", 1)],
        "orgao_gestor": [("Prefeitura", 3)],
        "publico_especifico": [("IDOSOS", 2)],
        "is_free": [("false", 1), ("true", 1)],
    }
    assert index.count_values(restrict(index, None, CITIZENS), ["tema_geral"], 1) == {"tema_geral": [("SAUDE", 2)]}


def test_a_text_is_searched_up_to_its_longest_length() -> None:
    filler = "palavra " * (LONGEST_TEXT // 8)
    catalogue = SmallCatalogue(make_service("Poda", descricao_completa=f"início {filler} fim"))
    assert catalogue.list_results("início") == ["Poda"]
    assert catalogue.list_results("fim") == []


def test_a_reader_sees_a_commit_after_its_reload(tmp_path: Path) -> None:
    writer = IndexWriter(tmp_path)
    writer.add([make_row("Poda"), make_row("Creche")])
    writer.commit(IndexState(2, "a", 1, ""))
    index = ServiceIndex.open(tmp_path)
    assert (index.count(), index.read_state()) == (2, IndexState(2, "a", 1, ""))
    draft = make_row("Poda", status=0)
    gone = make_row("Creche")
    writer.apply([ChangedRow(3, draft.id, draft), ChangedRow(4, gone.id, None)], IndexState(4, "b", 1, ""))
    writer.close()
    assert (index.count(), index.read_state().position, count_open(index)) == (2, 2, 2)
    index.reload()
    assert (index.count(), index.read_state().position, count_open(index)) == (1, 4, 0)
    assert index.count_services("creche") == 0


def test_a_second_writer_of_a_folder_is_rejected(tmp_path: Path) -> None:
    writer = IndexWriter(tmp_path)
    with pytest.raises(ValueError, match="LockBusy"):
        IndexWriter(tmp_path)
    writer.close()


def test_a_folder_without_an_index_cannot_be_opened(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="FileDoesNotExist"):
        ServiceIndex.open(tmp_path)


def test_a_rare_root_says_more_than_a_frequent_one() -> None:
    index = SmallCatalogue("Poda", "Poda de árvore", "Creche", "Vacina").index
    assert index.find_rarity("zzyzx") >= index.find_rarity("creche") > index.find_rarity("podar") > 0
    assert index.has_word("arvore")
    assert not index.has_word("arvores")
    assert index.complete_word("v", 5) == ["vacina"]
