"""Finds similar spellings of a mistyped word, and words that must never be corrected."""

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache

from balcao.search.portuguese.word_lists import read_words

# Shorter words have too many similar words.
SHORTEST_CORRECTED = 5
# A correction of a word up to this length must keep the first letter.
SHORT = 6
# The number of words after "lei" that belong to the law's name.
LAW_NAME = 4
_LAWS = frozenset({"lei", "decreto", "estatuto"})
_CACHED = 20_000
_LETTERS = "abcdefghijklmnopqrstuvwxyz"
# Letters that sound alike, each with the common spelling of the sound. A word with the same sound is the best
# correction.
_SOUNDS = tuple(
    pair.split(":")
    for pair in "ch:x ss:s sc:s ce:se ci:si z:s qu:k c:k ge:je gi:ji rr:r ll:l nn:n mp:np mb:nb h:".split()
)


_NAMES = read_words("names.txt")
_SENSITIVE = read_words("sensitive.txt")
_SENSITIVE_STEMS = tuple(word.removesuffix("*") for word in _SENSITIVE if word.endswith("*"))


def is_sensitive(folded: str) -> bool:
    """Return whether a word is about violence, health, race, sexuality, drugs or death."""
    return folded in _SENSITIVE or folded.startswith(_SENSITIVE_STEMS)


def list_protected(words: Sequence[str]) -> set[str]:
    """Return the folded words that must not be corrected: names of people and laws, and sensitive words."""
    protected: set[str] = set()
    after_law = 0
    for word in words:
        if after_law or word in _NAMES or is_sensitive(word):
            protected.add(word)
        after_law = LAW_NAME if word in _LAWS else max(after_law - 1, 0)
    return protected


@lru_cache(_CACHED)
def spell_sound(folded: str) -> str:
    """Return a spelling that all words of the same sound share."""
    return _replace_sounds(folded)


def _replace_sounds(folded: str) -> str:
    for letters, sound in _SOUNDS:
        folded = folded.replace(letters, sound)
    return folded


def spell_sounds(words: Iterable[str]) -> list[str]:
    """Return `spell_sound` of each word. Converting all words as one text takes a tenth of the time."""
    return _replace_sounds("\n".join(words)).split("\n")


def list_near_spellings(word: str) -> Iterator[str]:
    """Yield the spellings that differ by one letter or by two swapped neighbouring letters."""
    for at in range(len(word) + 1):
        before, after = word[:at], word[at:]
        if after:
            yield before + after[1:]
            yield from (before + letter + after[1:] for letter in _LETTERS)
        if len(after) > 1:
            yield before + after[1] + after[0] + after[2:]
        yield from (before + letter + after for letter in _LETTERS)
