"""Parses a query into words, phrases, exclusions and alternatives. Everything else is plain text.

No SQL or HTTP here (rules: search 4.6, query).
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import msgspec

from balcao.core.values.text import has_control
from balcao.search.portuguese.analysis import Token, split_words, tokenize
from balcao.search.portuguese.lexicon import fold
from balcao.search.public_search.synonyms import Alternative, Synonyms, Term

MOST_TERMS = 32
LISTS_ALL = "*"
_ALTERNATIVE = "OR"
_PART = re.compile(r'(-?)"([^"]*)"|(\S+)')


class Part(msgspec.Struct, frozen=True):
    """A piece of the query as typed."""

    text: str
    is_phrase: bool = False
    is_excluded: bool = False
    is_alternative: bool = False  # an alternative to the previous part


@dataclass(frozen=True, slots=True)
class ParsedQuery:
    """A parsed query.

    `folded` contains its words without accents, except excluded words. No result may contain a run of roots from
    `excluded`. `last` is the last word if it may be incomplete, and otherwise empty.
    """

    parts: tuple[Part, ...]
    terms: tuple[Term, ...]
    excluded: tuple[tuple[str, ...], ...] = ()
    folded: str = ""
    last: str = ""

    @property
    def marked_roots(self) -> frozenset[str]:
        """The roots to mark in highlights."""
        return frozenset(root for term in self.terms for alternative in term.alternatives for root in alternative.roots)


def split_query(query: str) -> list[Part]:
    """Split a query into its parts. Everything that is not an operator is text."""
    text = "".join(" " if has_control(char) else char for char in query) if has_control(query) else query
    parts: list[Part] = []
    follows_or = False
    for sign, phrase, plain in _PART.findall(text):
        if plain == _ALTERNATIVE and parts and not parts[-1].is_excluded:
            follows_or = True
            continue
        is_excluded = bool(sign) or (plain.startswith("-") and len(plain) > 1)
        word = plain.removeprefix("-") if is_excluded else plain
        parts.append(Part(phrase or word, bool(phrase), is_excluded, follows_or and not is_excluded))
        follows_or = False
    return parts


def fold_query(query: str) -> str:
    """Return the words of a query without accents and punctuation, except excluded words."""
    return " ".join(_fold_words(split_query(query)))


def _fold_words(parts: Iterable[Part]) -> list[str]:
    return [fold(word) for part in parts if not part.is_excluded for word in split_words(part.text)]


def parse_query(query: str, synonyms: Synonyms) -> ParsedQuery:
    """Parse a query. Terms beyond `MOST_TERMS` are ignored."""
    parts = split_query(query)
    wanted = [part for part in parts if not part.is_excluded]
    excluded = [_list_roots(tokenize(part.text)) for part in parts if part.is_excluded]
    words = _fold_words(wanted)
    last = wanted[-1] if wanted else None
    return ParsedQuery(
        tuple(parts),
        tuple(_list_terms(wanted, synonyms)[:MOST_TERMS]),
        tuple(roots for roots in excluded if roots)[:MOST_TERMS],
        " ".join(words),
        words[-1] if words and last is not None and not last.is_phrase else "",
    )


def _list_terms(parts: Sequence[Part], synonyms: Synonyms) -> list[Term]:
    terms: list[Term] = []
    run: list[Token] = []  # adjacent plain words, which may form a longer synonym
    has_content = any(_has_content(part) for part in parts)
    for part in parts:
        tokens = tokenize(part.text)
        if has_content and not part.is_phrase and part.is_alternative:
            tokens = [token for token in tokens if not token.is_asking]
        if not tokens:
            continue
        if not part.is_phrase and not part.is_alternative:
            run += tokens
            continue
        while part.is_alternative and has_content and run and run[-1].is_asking:
            run.pop()
        previous = run.pop() if part.is_alternative and run else None
        terms += _widen_run(run, synonyms, has_content)
        run = []
        if previous is not None:
            terms += synonyms.widen([previous])
        found = [_make_phrase(tokens)] if part.is_phrase else synonyms.widen(tokens)
        if part.is_alternative and terms:
            terms[-1] = _join_terms(terms[-1], found)
        else:
            terms += found
    return terms + _widen_run(run, synonyms, has_content)


def _widen_run(run: Sequence[Token], synonyms: Synonyms, has_content: bool) -> list[Term]:
    """Return the terms of adjacent words. Remove request words if the query also has other words.

    Request words that are part of a longer synonym are not removed, such as "serviços" in "imposto sobre serviços".
    """
    terms = synonyms.widen(run)
    if not has_content:
        return terms
    kept = [token for term in terms for token in term.tokens if len(term.tokens) > 1 or not token.is_asking]
    return terms if len(kept) == len(run) else synonyms.widen(kept)


def _has_content(part: Part) -> bool:
    return any(part.is_phrase or not token.is_asking for token in tokenize(part.text))


def _make_phrase(tokens: Sequence[Token]) -> Term:
    alternative = Alternative(_list_roots(tokens), is_phrase=True)
    return Term(" ".join(token.folded for token in tokens), (), (alternative,))


def _join_terms(term: Term, others: Iterable[Term]) -> Term:
    """Return a term that is satisfied if any of these terms is."""
    others = list(others)
    alternatives = [alternative for other in others for alternative in other.alternatives]
    lemmas = [lemma for other in others for lemma in other.lemmas]
    return msgspec.structs.replace(
        term, lemmas=(*term.lemmas, *lemmas), alternatives=(*term.alternatives, *alternatives), tokens=()
    )


def _list_roots(tokens: Iterable[Token]) -> tuple[str, ...]:
    return tuple(token.roots[0] for token in tokens)
