"""Derives the other names by which people know a service (rules: search 2.3), without SQL or HTTP."""

from collections.abc import Iterator, Sequence

from balcao.search.portuguese.analysis import fold_label, split_words, tokenize
from balcao.search.portuguese.lexicon import fold, open_lexicon
from balcao.search.public_search.synonyms import Synonyms

# These limits let several words of the name contribute. They also make the other names fit on one line below a page's
# heading.
MOST_OF_A_WORD = 2
MOST_SYNONYMS = 5
MOST_PHRASES = 3
# A longer phrase is a sentence, not a name.
MOST_WORDS = 5
# Words that make a phrase a statement or a question of the citizen. A phrase with such a word does not name a service.
_SPOKEN = frozenset(
    "eu me mim meu minha meus minhas nao como onde quando quem qual quero preciso tenho tem fiz perdi".split()
)


def list_other_names(name: str, phrases: Sequence[str], synonyms: Synonyms) -> list[str]:
    """Return other names of a service without duplicates: synonyms of words in its name, then suitable phrases.

    The last words of a name describe the subject of the service, so their synonyms come first.
    """
    offered = [*_list_synonyms(name, synonyms)][:MOST_SYNONYMS]
    offered += [phrase for phrase in phrases if _is_name(phrase)][:MOST_PHRASES]
    own = f" {fold_label(name)} "
    names = {fold_label(each): each for each in reversed(offered) if f" {fold_label(each)} " not in own}
    return list(reversed(names.values()))


def _list_synonyms(name: str, synonyms: Synonyms) -> Iterator[str]:
    for spellings in reversed(synonyms.list_spellings(tokenize(name))):
        nouns = sorted((each for each in spellings if not _is_verb(each)), key=lambda each: (len(each), each))
        yield from nouns[:MOST_OF_A_WORD]


def _is_name(phrase: str) -> bool:
    """Return whether a phrase names the service instead of describing what the citizen does or has."""
    words = [fold(word) for word in split_words(phrase)]
    tokens = tokenize(phrase)
    return (
        len(words) <= MOST_WORDS
        and bool(tokens)
        and _SPOKEN.isdisjoint(words)
        and not any(token.is_asking for token in tokens)
        and not open_lexicon().is_verb(tokens[0].lemmas[0])
    )


def _is_verb(term: str) -> bool:
    """Return whether a synonym is only a verb, such as "abrir" in the group of "abrir" and "abertura"."""
    words = split_words(term)
    return len(words) == 1 and open_lexicon().is_verb(fold(words[0]))
