"""`python -m tools.lexicon DICTIONARY`: compile the Portuguese lexicon of the search.

There are two sources. The Portuguese word list of simplemma 2.0.0 (`pip install simplemma==2.0.0`) has a lemma for each
form. The entries of LibreOffice's `pt_BR.dic` are known words without inflected forms. The Debian package
`hunspell-pt-br` contains the dictionary. `docs/reference/licences.md` names both licences.
"""

import sys
from collections.abc import Iterator
from pathlib import Path

import marisa_trie
from simplemma.strategies.dictionaries.dictionary_factory import DefaultDictionaryFactory

from balcao.search.portuguese.lexicon import ACCENTED, CUT_BASE, PLAIN, fold

OUTPUT = Path("src/balcao/search/portuguese/lexicon.trie")


def read_forms() -> Iterator[tuple[str, str]]:
    """Yield each form in simplemma's list with its lemma."""
    for form, lemma in DefaultDictionaryFactory().get_dictionary("pt").items():
        # Skip the stems that come before a pronoun ("consultá" in "consultá-lo"). They would compete with nouns
        # ("consulta").
        if fold(form) == fold(lemma)[:-1] and form != fold(form):
            continue
        yield form, lemma


def read_dictionary(path: Path) -> Iterator[str]:
    """Yield the entries of a Hunspell dictionary."""
    for line in path.read_text("utf-8-sig", errors="ignore").splitlines()[1:]:
        word = line.split("/")[0].split("\t")[0].strip()
        if word.isalpha():
            yield word


def encode(form: str, lemma: str) -> tuple[str, bytes]:
    """Return the folded form, and how to derive the lemma: how many letters to cut, and which letters to append."""
    folded, target = fold(form), fold(lemma)
    shared = 0
    while shared < min(len(folded), len(target)) and folded[shared] == target[shared]:
        shared += 1
    mark = PLAIN if folded == form.lower() else ACCENTED
    return folded, f"{mark}{chr(CUT_BASE + len(folded) - shared)}{target[shared:]}".encode()


def compile_lexicon(dictionary: Path) -> int:
    """Write the trie and return the number of known words."""
    entries = {encode(form, lemma) for form, lemma in read_forms() if form.isalpha()}
    known = {folded for folded, _ in entries}
    entries |= {encode(word, word) for word in read_dictionary(dictionary) if fold(word) not in known}
    marisa_trie.BytesTrie(sorted(entries)).save(str(OUTPUT))
    return len({folded for folded, _ in entries})


if __name__ == "__main__":
    print(compile_lexicon(Path(sys.argv[1])))
