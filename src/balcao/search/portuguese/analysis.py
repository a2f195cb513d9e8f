"""Converts texts and queries to words that can be compared (rules: search 4.6, words)."""

import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache

from balcao.search.portuguese.lexicon import fold, open_lexicon
from balcao.search.portuguese.word_lists import read_words

# Only this many characters of a text are searched and highlighted.
LONGEST_TEXT = 20_000
_CACHED = 50_000  # words; a catalogue has few distinct ones
_CACHED_LABELS = 2_000

_THOUSANDS = re.compile(r"(?<=\d)\.(?=\d{3}(?!\d))")
_ACRONYM = re.compile(r"(?<![^\W_])(?:[^\W\d_]\.){2,}(?:[^\W\d_](?![^\W_]))?")
# The forms of "o" and "a" with an accent. Folding a word removes the accent, so all forms are read alike.
_LETTERS = map(chr, (*range(0xC0, 0x250), *range(0x1E00, 0x1F00)))
_ACCENTED = "".join(letter for letter in _LETTERS if fold(letter) in {"o", "a"})
# The pattern starts with a digit and looks behind it afterwards, so that the engine skips texts without digits quickly.
_ORDINAL = re.compile(rf"(\d(?<![^\W_]\d)\d{{0,2}})(?:\.?[ºª°]|(?:[oa{_ACCENTED}]s?)(?![^\W_]))", re.IGNORECASE)
# Every dotted acronym, and every number with thousands separators, contains a point before a letter or digit.
_POINT_INSIDE = re.compile(r"\.[^\W_]")
_COMPOUND = re.compile(r"[^\W_]+(?:-[^\W_]+)+")
_WORD = re.compile(r"[^\W_]+")
ORDINAL_WORDS = {
    word: str(number)
    for number, stem in enumerate(("primeir", "segund", "terceir"), 1)
    for word in (f"{stem}o", f"{stem}a")
}
_DIMINUTIVES = ("inho", "inha", "inhos", "inhas")
_PARTICIPLES = ("ado", "ido")
# Words that look like a form of a more common word, or that the lexicon lacks.
_LEMMAS = {"caps": "caps", "cras": "cras", "creas": "creas", "onibus": "onibus", "pais": "pais", "visto": "visto"}

STOP_WORDS = read_words("stop_words.txt")
ASKING = read_words("asking_words.txt")


@dataclass(frozen=True, slots=True)
class Token:
    """One word of a text. `lemmas` and `roots` contain every reading, the most likely one first."""

    folded: str
    lemmas: tuple[str, ...]
    roots: tuple[str, ...]

    @property
    def is_asking(self) -> bool:
        """Whether this is a request word such as "quero", which says nothing about the wanted service."""
        return self.folded in ASKING or not ASKING.isdisjoint(self.lemmas)


def split_words(text: str) -> list[str]:
    """Return the words of the first `LONGEST_TEXT` characters in lower case.

    Points in acronyms and thousands separators are removed. An ordinal becomes its number. An accent may be a separate
    character, as some keyboards produce it.
    """
    text = text[:LONGEST_TEXT]
    if text.isascii() and text.isalpha():  # a single word, like most parts of a query
        return [text.lower()]
    if _POINT_INSIDE.search(text):
        text = _ACRONYM.sub(lambda found: found[0].replace(".", ""), _THOUSANDS.sub("", text))
    plain = _ORDINAL.sub(r"\1", text)
    if not plain.isascii():
        normalized = unicodedata.normalize("NFKC", plain)
        if normalized != text:  # it may contain further ordinals: "¼o" becomes "1⁄4o"
            plain = _ORDINAL.sub(r"\1", normalized)
    words: list[str] = _WORD.findall(plain.lower())
    return words


def tokenize(text: str) -> list[Token]:
    """Return the words of a text without its stop words."""
    return [token for token in map(read_word, split_words(text)) if token.folded not in STOP_WORDS]


def list_roots(text: str) -> list[str]:
    """Return the most likely root of each word of a text without its stop words."""
    return list(filter(None, map(_find_root, split_words(text))))


@lru_cache(_CACHED)
def _find_root(word: str) -> str:
    """Return the most likely root of a word in lower case, or an empty text for a stop word."""
    token = read_word(word)
    return "" if token.folded in STOP_WORDS else token.roots[0]


def tokenize_compounds(text: str) -> list[Token]:
    """Return each hyphenated word as one token, so that "habitese" matches "habite-se"."""
    return [read_word(word.replace("-", "")) for word in _COMPOUND.findall(text.lower())]


@lru_cache(_CACHED)
def read_word(word: str) -> Token:
    """Return the token of a word in lower case."""
    folded = fold(word)
    if folded in ORDINAL_WORDS:
        folded = word = ORDINAL_WORDS[folded]
    if folded in _LEMMAS:
        lemmas: tuple[str, ...] = (_LEMMAS[folded],)
    else:
        lemmas = open_lexicon().list_lemmas(word)
    if folded.endswith(_DIMINUTIVES) and lemmas[0].endswith(_PARTICIPLES):
        # The diminutive of a participle names a thing: "salgadinho" is a snack and does not derive from "salgar".
        return Token(folded, lemmas, lemmas)
    return Token(folded, lemmas, tuple(dict.fromkeys(map(open_lexicon().find_root, lemmas))))


@lru_cache(_CACHED_LABELS)
def fold_label(text: str) -> str:
    """Return the words of a name in lower case, without accents and punctuation. Equal results mean equal names."""
    return " ".join(_WORD.findall(fold(text)))
