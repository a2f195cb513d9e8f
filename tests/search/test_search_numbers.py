"""Limits of the rules: at their boundaries, or too large for small catalogues (rules: search 2.3, 3.1, 4.6, 5)."""

from datetime import UTC, datetime, timedelta

import pytest

from balcao.core.errors import Invalid
from balcao.search.control_queries import evaluation
from balcao.search.control_queries import service as control_queries
from balcao.search.popularity import service as popularity
from balcao.search.public_search import corrections, responses, state, suggestions
from balcao.search.public_search import service as public_search
from balcao.search.public_search.parameters import SearchRequest
from balcao.search.services.content import merge_content
from balcao.search.synonyms import service as synonyms
from balcao.search.zero_results import service as zero_results
from tests.search.small_catalogue import SmallCatalogue, make_service
from tests.search.support import body


@pytest.mark.parametrize(("ahead", "is_allowed"), [(300, True), (301, False)])
def test_a_service_is_published_at_most_300_seconds_ahead(ahead: int, is_allowed: bool) -> None:
    now = datetime(2026, 11, 23, 12, tzinfo=UTC)
    sent = body(published_at=int((now + timedelta(seconds=ahead)).timestamp()))
    if is_allowed:
        assert merge_content(sent, None, now).published_at == sent.published_at
    else:
        with pytest.raises(Invalid):
            merge_content(sent, None, now)


@pytest.mark.parametrize(
    ("query", "is_kept"), [("rua 1234", True), ("rua 12345", False), ("1 2.3/4-5", False), ("a@b", False)]
)
def test_five_digits_or_an_address_are_a_persons(query: str, is_kept: bool) -> None:
    assert zero_results.may_be_kept(query) == is_kept


def test_only_the_first_2000_candidates_are_on_pages_and_all_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(public_search, "MOST_CANDIDATES", 60)
    catalogue = SmallCatalogue(*(f"Poda {number}" for number in range(70)))
    assert len(catalogue.list_results("poda", page=6)) == 10
    assert catalogue.list_results("poda", page=7) == []
    beyond = catalogue.search("poda", page=7, threshold=0.0)
    assert (beyond.total, beyond.passed) == (70, 60)


def test_a_field_has_at_most_20_values() -> None:
    services = [make_service(f"Poda {number}", sub_categoria=f"Assunto {number}") for number in range(25)]
    facets = SmallCatalogue(*services).search("poda", facets=("sub_categoria",)).facets
    assert len(facets["sub_categoria"]) == public_search.MOST_FACET_VALUES == 20


def test_the_limits_are_those_of_the_rules() -> None:
    """Compare the constants, because no small catalogue reaches these limits."""
    assert (public_search.MOST_CANDIDATES, responses.MOST_COUNTED, state.RESPONSE_SECONDS) == (2000, 10_000, 30.0)
    assert (responses.RATE, responses.PORTAL_RATE) == ("200/4 second", "2000/4 second")
    assert (synonyms.FEWEST_TERMS, synonyms.MOST_TERMS, synonyms.MOST_GROUPS) == (2, 20, 2000)
    assert (control_queries.MOST_QUERIES, evaluation.SHOWN, suggestions.MOST_NAMES) == (200, 10, 8)
    assert (zero_results.FEWEST_TIMES, zero_results.KEPT_DAYS, popularity.KEPT_DAYS) == (5, 90, 400)
    assert corrections.MOST_CORRECTIONS == 2
    assert SearchRequest(q="x").per_page == 10
