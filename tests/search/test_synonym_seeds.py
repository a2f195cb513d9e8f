"""The synonyms of a new installation (rules: search 3.4)."""

import asyncpg
import pytest

from balcao.search.portuguese.analysis import tokenize
from balcao.search.public_search.synonyms import Synonyms
from tests.search.small_catalogue import SmallCatalogue


async def list_groups(owner: asyncpg.Connection) -> list[set[str]]:
    return [set(row["terms"]) for row in await owner.fetch("SELECT terms FROM search.synonyms")]


@pytest.mark.parametrize("term", ["iptu", "iss", "itbi", "mei", "cnh", "rg", "nfs-e", "segunda via", "grátis", "wi-fi"])
async def test_what_people_say_stands_beside_what_catalogues_write(owner: asyncpg.Connection, term: str) -> None:
    assert any(term in {each.lower() for each in group} for group in await list_groups(owner))


@pytest.mark.long
async def test_each_seeded_term_finds_services_named_like_the_others_of_its_group(owner: asyncpg.Connection) -> None:
    """Each term of a group finds the services that contain any other term of the group."""
    groups = [sorted(group) for group in await list_groups(owner)]
    synonyms = Synonyms(groups)
    for group in groups:
        terms = [term for term in group if tokenize(term)]
        catalogue = SmallCatalogue(*terms, synonyms=synonyms)
        for typed in terms:
            match, names = catalogue.list_found(typed)
            assert match == "all_terms"
            assert names == set(terms), (typed, set(terms) - names)


async def test_no_seeded_term_begins_with_a_word_that_is_not_searched(owner: asyncpg.Connection) -> None:
    """`sem custo` would have the effect of `custo`, because the search ignores `sem`."""
    rows = await owner.fetch(
        "SELECT term FROM search.synonyms, unnest(terms) AS term WHERE search.fold(term) ~ '^(sem|nao|nem) '"
    )
    assert rows == []


async def test_seeded_acronyms_are_written_in_capitals(owner: asyncpg.Connection) -> None:
    groups = await list_groups(owner)
    assert {"IPTU", "imposto predial", "imposto predial e territorial urbano"} in groups
    assert {"SUS", "sistema único de saúde"} in groups
    assert not {"iptu", "mei", "rg", "sus"} & set().union(*groups)
