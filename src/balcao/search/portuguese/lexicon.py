"""The known Portuguese words, with their lemmas and the verbs from which nouns derive, in a memory-mapped file.

`tools/lexicon.py` compiles the file. Its sources and their licences are listed in `docs/reference/licences.md`.
"""

import unicodedata
from functools import cache, lru_cache
from importlib.resources import as_file, files

import marisa_trie

_FILE = "lexicon.trie"
# Each entry in the trie starts with one of these characters: `a` if the form has an accent, `p` if it has none.
ACCENTED, PLAIN = "a", "p"
# The code of "cut no letters". The next character cuts one letter, and so on.
CUT_BASE = ord("A")
# The maximum number of readings of one form that a search considers.
MOST_LEMMAS = 3
SHORTEST_STEM = 3
# Shorter words with a final s are usually acronyms.
SHORTEST_PLURAL = 5
_CACHED = 20_000

_VOWELS = ("a", "o", "e")
_PLURALS = tuple(f"{vowel}s" for vowel in _VOWELS)
_DIMINUTIVES = ("inho", "inha")
_ACTIONS = ("acao", "amento", "agem", "anca", "ura", "adura")
# Suffixes of nouns that derive from a verb, longest first, with the endings of the verb. The verb must exist, so
# "momento" keeps its own root.
_DERIVATIONS = (
    *(
        (suffix, ("ar",))
        for suffix in ("adoria", "amento", "acao", "adura", "agem", "anca", "ador", "ado", "ada", "io")
    ),
    *((suffix, ("er", "ir")) for suffix in ("imento", "icao", "encia", "edor", "idor", "ido", "ida")),
    *((vowel, ("ar",)) for vowel in _VOWELS),
)
# Nouns that only look like derivations: "casa" is a house and not a form of "casar".
_OWN_ROOTS = frozenset(
    "casa medico medica cidade estado mercado vida comida parada ponto praca arvore taxi crianca coracao posto poste"
    " lote".split()
)


def fold(word: str) -> str:
    """Return the word in lower case and without accents."""
    if word.isascii():
        return word.lower()
    decomposed = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", word).lower())
    return "".join(char for char in decomposed if not unicodedata.combining(char))


class Lexicon:
    """The lexicon of Portuguese words. Its file is mapped into memory, so all processes of a host share the pages."""

    def __init__(self) -> None:
        self._forms = marisa_trie.BytesTrie()
        with as_file(files(__package__).joinpath(_FILE)) as path:
            self._forms.mmap(str(path))
        self.list_lemmas = lru_cache(_CACHED)(self._list_lemmas)
        self.find_root = lru_cache(_CACHED)(self._find_root)

    def has(self, folded: str) -> bool:
        """Return whether the word exists with any accents. An infinitive may lack its final r ("paga")."""
        return folded in self._forms or folded + "r" in self._forms

    def is_verb(self, lemma: str) -> bool:
        """Return whether a folded lemma is a verb in the infinitive."""
        # Only verbs have a gerund.
        return lemma[-2:] in ("ar", "er", "ir") and lemma[:-1] + "ndo" in self._forms

    def _list_lemmas(self, word: str) -> tuple[str, ...]:
        """Return the folded lemmas of a word, the most likely one first.

        The only lemma of an unknown word is the word without its plural s.
        """
        folded = fold(word)
        own = PLAIN if folded == word else ACCENTED
        entries = sorted((entry.decode() for entry in self._forms.get(folded, ())), key=lambda entry: entry[0] != own)
        if own == ACCENTED:
            # Citizens type an accent on purpose, but they often omit one.
            entries = [entry for entry in entries if entry[0] == own] or entries
        lemmas = [folded[: len(folded) - (ord(entry[1]) - CUT_BASE)] + entry[2:] for entry in entries]
        # Put the name of a place or a brand last: "festas" is the plural of "festa", even if a town is called Festas.
        if any(_is_plural(folded, lemma) for lemma in lemmas):
            lemmas.sort(key=lambda lemma: lemma == folded)
        return tuple(dict.fromkeys(lemmas))[:MOST_LEMMAS] or (_find_singular(folded),)

    def _find_root(self, lemma: str) -> str:
        """Return the verb that a noun derives from ("pagamento": "pagar"), or the lemma itself."""
        if lemma in _OWN_ROOTS or self.is_verb(lemma):
            return lemma
        for suffix, endings in _DERIVATIONS:
            stem = lemma.removesuffix(suffix)
            if stem == lemma or len(stem) < SHORTEST_STEM or (suffix in _VOWELS and self._names_thing(lemma)):
                continue
            for ending in endings:
                if self.is_verb(stem + ending):
                    return stem + ending
        return lemma

    def _names_thing(self, lemma: str) -> bool:
        """Return whether a noun names a thing and not the action of a similar verb.

        Such a noun has a diminutive, and the verb has another noun for the action: "mato" has "matinho" and "matança".
        """
        stem = lemma[:-1]
        if not any(stem + suffix in self._forms for suffix in _ACTIONS):
            return False
        stems = [stem]
        if stem.endswith("c"):
            stems.append(stem[:-1] + "qu")  # "placa", "plaquinha"
        if stem.endswith("g"):
            stems.append(stem + "u")
        return any(lemma in self.list_lemmas(each + ending) for each in stems for ending in _DIMINUTIVES)


def _is_plural(folded: str, lemma: str) -> bool:
    """Return whether the word looks like the plural of the lemma."""
    return len(folded) >= SHORTEST_PLURAL and folded.endswith("s") and lemma in (folded[:-1], folded[:-3] + "ao")


def _find_singular(unknown: str) -> str:
    """Return an unknown word without the s of a plural."""
    is_plural = len(unknown) >= SHORTEST_PLURAL and unknown.endswith(_PLURALS)
    return unknown[:-1] if is_plural else unknown


@cache
def open_lexicon() -> Lexicon:
    """Return the lexicon of this process."""
    return Lexicon()
