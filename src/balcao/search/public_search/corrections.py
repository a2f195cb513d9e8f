"""Replaces unknown words of a query with known words that sound or look similar, or that complete the last word.

Rules: search 4.6, corrections.
"""

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from msgspec import structs

from balcao.search.index.reader import ServiceIndex
from balcao.search.portuguese.analysis import STOP_WORDS, Token, tokenize
from balcao.search.portuguese.lexicon import open_lexicon
from balcao.search.portuguese.spelling import (
    SHORT,
    SHORTEST_CORRECTED,
    list_near_spellings,
    list_protected,
    spell_sound,
    spell_sounds,
)
from balcao.search.public_search.query import ParsedQuery
from balcao.search.public_search.synonyms import Alternative, Synonyms, Term

CORRECTION_WEIGHT = 0.7
# Only the first unknown words are corrected, because each costs about 600 lookups. Real queries rarely have more.
MOST_CORRECTED = 4
LONGEST_CORRECTED = 30
SHORTEST_PREFIX = 3
MOST_CORRECTIONS = 2
MOST_COMPLETIONS = 20


def correct_query(index: ServiceIndex, query: ParsedQuery, synonyms: Synonyms) -> tuple[ParsedQuery, Mapping[str, str]]:
    """Return the query with replacements for its unknown words, and a mapping from mistyped words to their corrections.

    An incomplete last word is completed, which does not count as a correction.
    """
    protected = list_protected(query.folded.split())
    corrections: dict[str, str] = {}
    corrected = 0
    terms = list(query.terms)
    for at, term in enumerate(terms):
        if len(term.tokens) != 1 or term.folded in protected or is_known(index, term.tokens[0], synonyms):
            continue
        corrected += 1
        if corrected > MOST_CORRECTED:
            break
        can_complete = term.folded == query.last and len(term.folded) >= SHORTEST_PREFIX
        near = complete_word(index, term.folded, synonyms) if can_complete else []
        if not near:
            near = _list_near(index, term.folded)
            if near:
                corrections[term.folded] = near[0]
        if near:
            terms[at] = _replace_term(term, near, synonyms)
    if tuple(terms) == query.terms:
        return query, corrections
    return replace(query, terms=tuple(_join_words(terms, synonyms))), corrections


def is_known(index: ServiceIndex, token: Token, synonyms: Synonyms) -> bool:
    """Return whether the lexicon, the catalogue or a synonym group contains a word. Known words are not corrected."""
    word = token.folded
    return word.isdigit() or index.has_word(word) or open_lexicon().has(word) or synonyms.has(token)


def complete_word(index: ServiceIndex, start: str, synonyms: Synonyms, most: int = MOST_CORRECTIONS) -> list[str]:
    """Return the known words with this prefix: words of the catalogue, most frequent first, and then synonyms."""
    words = [word for word in index.complete_word(start, MOST_COMPLETIONS) if word not in STOP_WORDS]
    return list(dict.fromkeys((*words, *synonyms.list_beginning(start))))[:most]


def _list_near(index: ServiceIndex, folded: str) -> list[str]:
    """Return the words with the same sound, or those that differ by one letter. The most frequent words come first."""
    if not SHORTEST_CORRECTED <= len(folded) <= LONGEST_CORRECTED or not folded.isalpha():
        return []
    sound = spell_sound(folded)
    near = index.list_words_of_sound(sound)
    # Vary the letters of the sound before those of the word, because one wrong letter may change the sound of its
    # neighbours ("ci" instead of "cu").
    for spelling in (sound, folded):
        if not near:
            others = dict.fromkeys(spell_sounds(list_near_spellings(spelling)))
            near = [word for other in others for word in index.list_words_of_sound(other)]
            near = [word for word in near if word[0] == folded[0] or len(folded) > SHORT]
    return sorted(set(near), key=lambda word: (-index.count_word(word), word))[:MOST_CORRECTIONS]


def _replace_term(term: Term, words: Iterable[str], synonyms: Synonyms) -> Term:
    """Return the term with these words and their synonyms as its alternatives."""
    meant = [found for word in words for found in synonyms.widen(tokenize(word))]
    roots = dict.fromkeys(alternative.roots for found in meant for alternative in found.alternatives)
    alternatives = tuple(Alternative(each, CORRECTION_WEIGHT, is_phrase=len(each) > 1) for each in roots)
    # This token has the roots of all words that it may stand for, so that the term can be part of a longer synonym.
    read = tuple(dict.fromkeys(root for word in words for token in tokenize(word) for root in token.roots))
    return Term(term.folded, (), alternatives, (Token(term.folded, (), read),))


def _join_words(terms: Sequence[Term], synonyms: Synonyms) -> Iterator[Term]:
    """Yield the terms. Adjacent words that are a synonym only after the correction become one term."""
    # Phrases and alternatives have no tokens.
    for has_tokens, group in itertools.groupby(terms, key=lambda term: bool(term.tokens)):
        run = list(group)
        if has_tokens:
            known = {term.tokens: term for term in run}
            widened = synonyms.widen([token for term in run for token in term.tokens])
            run = [known.get(term.tokens) or _lower_weights(term) for term in widened]
        yield from run


def _lower_weights(term: Term) -> Term:
    alternatives = (structs.replace(each, weight=each.weight * CORRECTION_WEIGHT) for each in term.alternatives)
    return structs.replace(term, alternatives=tuple(alternatives))
