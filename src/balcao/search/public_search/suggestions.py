"""Suggests service names for the text that a citizen has typed so far (rules: search 2.5)."""

from collections.abc import Sequence

from balcao.search.index.reader import Entry, ServiceIndex
from balcao.search.index.schema import NAME, PHRASES
from balcao.search.portuguese.analysis import Token, tokenize
from balcao.search.public_search.candidates import ALL, CITIZENS, require_all, restrict, write_term
from balcao.search.public_search.corrections import complete_word
from balcao.search.public_search.synonyms import Synonyms, Term

MOST_NAMES = 8
# The maximum number of completions of one typed word.
MOST_WORDS = 20
# The maximum number of candidates that are sorted by popularity. A text with more matches is too short for good
# suggestions.
MOST_CANDIDATES = 200


def complete_names(index: ServiceIndex, synonyms: Synonyms, typed: str) -> list[str]:
    """Return names of published services that contain all typed words, completions of them, or their synonyms.

    Services with matching names come before those with a matching phrase. Then more popular services come first, and
    then shorter names.
    """
    terms = [_complete_term(index, token, synonyms) for token in tokenize(typed)]
    wanted = require_all([write_term(index, term, ALL, (NAME, PHRASES)) for term in terms])
    if wanted is None:
        return []
    _, hits = index.search(restrict(index, wanted, CITIZENS), MOST_CANDIDATES)
    ranks = [
        (not _is_in_name(entry, terms), -entry.order.popularity, len(entry.title), entry.title)
        for entry in index.read_entries([address for _, address in hits])
    ]
    return list(dict.fromkeys(name for *_, name in sorted(ranks)))[:MOST_NAMES]


def _is_in_name(entry: Entry, terms: Sequence[Term]) -> bool:
    """Return whether the name matches all terms. The phrases of citizens do not count."""
    return all(any(entry.name.issuperset(each.roots) for each in term.alternatives) for term in terms)


def _complete_term(index: ServiceIndex, token: Token, synonyms: Synonyms) -> Term:
    """Return a term for a word and its completions, with all their synonyms."""
    words = [
        token,
        *(known for word in complete_word(index, token.folded, synonyms, MOST_WORDS) for known in tokenize(word)),
    ]
    found = [alternative for word in words for term in synonyms.widen([word]) for alternative in term.alternatives]
    alternatives = {alternative.roots: alternative for alternative in reversed(found)}
    return Term(token.folded, (), tuple(alternatives.values()))
