"""Ranks the candidates by coverage of the query, match with the name, popularity and last change.

Rules: search 4.6, score. The weights are tuned on `tests/search/words`.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, Self

from balcao.search.index.reader import Address, Entry, ServiceIndex
from balcao.search.index.schema import Order
from balcao.search.public_search.candidates import Candidates, weigh_term
from balcao.search.public_search.synonyms import Term

# Only the engine's best candidates are ranked again. A higher number would not change any result of the test queries.
RERANKED = 30
# A change keeps its full weight for 30 days, then loses it slowly, down to one half.
FRESH_DAYS = 30
DECAY_PER_DAY = 0.00207
LEAST_RECENCY = 0.5
_DAY = 86_400
# Scores are displayed and compared with six decimals.
_DECIMALS = 6


@dataclass(frozen=True, slots=True)
class Weights:
    """The weights of the zones and of the other parts of a score."""

    name: float = 1.2
    related: float = 0.8  # factor for a word in the name that only shares the root
    phrases: float = 0.9
    head: float = 0.7
    rest: float = 0.27
    fill: float = 0.4  # for the share of the name that the query contains
    phrase_fill: float = 0.35  # for the share of one phrase that the query contains
    engine: float = 0.8
    popularity: float = 0.1

    @property
    def highest(self) -> float:
        """The highest possible score."""
        return self.name * (1 + max(self.fill, self.phrase_fill)) + self.engine + self.popularity


WEIGHTS = Weights()


class Hit(NamedTuple):
    """A result. `text_match` and `score` are between 0 and 1. `id` is empty until the entry is read."""

    address: Address
    order: Order
    text_match: float
    score: float
    recency: float = 1.0
    id: str = ""


def rank_candidates(index: ServiceIndex, found: Candidates, weights: Weights = WEIGHTS) -> list[Hit]:
    """Rank the engine's best candidates again, and return them with the best one first."""
    if not found.hits:
        return []
    terms = [_Asked.of(index, term) for term in found.terms]
    whole, highest = sum(term.rarity for term in terms) or 1.0, weights.highest
    addresses = [address for _, address in found.hits[:RERANKED]]
    best = found.hits[0][0] or 1.0
    # Descriptions are not stored. If every term matched, a term that is in neither the name nor the summary must be in
    # the description.
    otherwise = weights.rest if found.match == "all_terms" else 0.0
    asked = frozenset(root for term in found.terms for alternative in term.alternatives for root in alternative.roots)
    hits = []
    for (engine, address), entry in zip(found.hits, index.read_entries(addresses), strict=False):
        coverage = sum(term.rarity * _meet(term, entry, weights, otherwise) for term in terms) / whole
        fill = weights.fill * _fill(index, entry.name, asked)
        if not asked.isdisjoint(entry.phrase_roots):
            fill = max(fill, weights.phrase_fill * max(_fill(index, phrase, asked) for phrase in entry.phrases))
        text = (coverage * (1 + fill) + weights.engine * engine / best) / highest
        score = text + weights.popularity * entry.order.popularity / highest
        hits.append(Hit(address, entry.order, round(text, _DECIMALS), round(score, _DECIMALS), id=entry.id))
    return sorted(hits, key=sort_key)


def rank_rest(index: ServiceIndex, found: Candidates, ranked: Sequence[Hit]) -> list[Hit]:
    """Return the other candidates in the order of the engine. Their scores do not exceed those of `ranked`."""
    rest = found.hits[RERANKED:]
    if not rest:
        return []
    orders = index.read_orders([address for _, address in rest])
    last, highest = ranked[-1], rest[0][0] or 1.0
    return [
        Hit(
            address,
            order,
            round(last.text_match * engine / highest, _DECIMALS),
            round(last.score * engine / highest, _DECIMALS),
        )
        for (engine, address), order in zip(rest, orders, strict=True)
    ]


def sort_key(hit: Hit) -> tuple[float, bool, int, str]:
    """Return the key that sorts hits: score, highlight, last change, then the id."""
    return -hit.score, not hit.order.is_highlighted, -hit.order.updated, hit.id


def find_recency(updated: int, now: int) -> float:
    """Return the factor for the age of the last change, from `LEAST_RECENCY` to 1."""
    days = max(now - updated, 0) / _DAY
    return 1.0 if days <= FRESH_DAYS else max(LEAST_RECENCY, math.exp(-DECAY_PER_DAY * days))


class _Asked(NamedTuple):
    """A term with its rarity. `ways` are the alternatives whose words the catalogue contains, with their weights."""

    rarity: float
    lemmas: tuple[str, ...]
    ways: list[tuple[frozenset[str], float]]

    @classmethod
    def of(cls, index: ServiceIndex, term: Term) -> Self:
        ways = [
            (frozenset(each.roots), each.weight)
            for each in term.alternatives
            if all(map(index.count_services, each.roots))
        ]
        return cls(weigh_term(index, term) or 1.0, term.lemmas, ways)


def _meet(term: _Asked, entry: Entry, weights: Weights, otherwise: float) -> float:
    """Return how well a service matches a term. Only the best alternative in its best zone counts."""
    if not entry.lemmas.isdisjoint(term.lemmas):
        return weights.name
    best = 0.0
    for roots, weight in term.ways:
        if roots <= entry.name:
            worth = weights.name * weights.related
        elif roots <= entry.phrase_roots:
            worth = weights.phrases
        elif roots <= entry.head:
            worth = weights.head
        else:
            continue
        best = max(best, worth * weight)
    return best or otherwise


def _fill(index: ServiceIndex, words: frozenset[str], asked: frozenset[str]) -> float:
    """Return the share of these words that the query contains. Rare words count more."""
    if asked.isdisjoint(words):
        return 0.0
    return sum(map(index.find_rarity, words & asked)) / index.sum_rarities(words)
