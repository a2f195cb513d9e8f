"""How near a mistyped word must be to a known one, and which words nobody corrects (rules: search 4.6, corrections).

Pure rules without SQL.
"""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from importlib.resources import files

# Shorter words have too many neighbours.
SHORTEST = 4
# Up to this length one letter instead of another makes another word (maria, marca), and is no slip.
SHORT = 5
# From this length on two slips are allowed.
LONG = 9
# So many words behind "lei" are its name.
LAW_NAME = 4
_LAWS = frozenset({"lei", "decreto", "estatuto"})

# What sounds alike, so that confusing it is one slip however many letters it takes; in this order.
_SOUNDS = [
    (re.compile(pattern), sound)
    for pattern, sound in (
        ("ch", "x"),
        ("ss|sc(?=[ei])|xc(?=[ei])|c(?=[ei])|z", "s"),
        ("qu(?=[ei])|c|q", "k"),
        ("gu(?=[ei])", "G"),
        ("g(?=[ei])", "j"),
        ("^h", ""),
        ("rr", "r"),
        ("m(?=[^aeiou])", "n"),
    )
]


def _read_words(file: str) -> frozenset[str]:
    text = files("balcao.search.vocabulary").joinpath(file).read_text("utf-8")
    return frozenset(word for line in text.splitlines() if not line.startswith("#") for word in line.split())


NAMES = _read_words("names.txt")
SENSITIVE = _read_words("sensitive.txt")
_SENSITIVE_STEMS = tuple(word.removesuffix("*") for word in SENSITIVE if word.endswith("*"))


def is_sensitive(word: str) -> bool:
    """Return whether a folded word is about violence, health, race, sexuality, drugs or death."""
    return word in SENSITIVE or word.startswith(_SENSITIVE_STEMS)


def list_left_alone(written: Sequence[str]) -> Iterator[int]:
    """Yield the places of the words that are names of people, part of a law's name, or sensitive."""
    behind_law = 0
    for place, word in enumerate(plain(word) for word in written):
        if behind_law or word in NAMES or is_sensitive(word):
            yield place
        behind_law = LAW_NAME if word in _LAWS else max(behind_law - 1, 0)


def plain(word: str) -> str:
    """Return the word in lower case and without accents."""
    return "".join(char for char in unicodedata.normalize("NFKD", word.casefold()) if not unicodedata.combining(char))


def count_slips(typed: str, known: str) -> int | None:
    """Return how many slips of the pen lie between two folded words, None for more than the length allows."""
    allowed = 0 if len(typed) < SHORTEST else 1 if len(typed) < LONG else 2
    if not allowed or abs(len(typed) - len(known)) > allowed + 1:
        return None
    if _sound(typed) == _sound(known):
        return 1
    slips = _count_edits(typed, known)
    if slips > allowed or (len(typed) <= SHORT and len(typed) == len(known) and sorted(typed) != sorted(known)):
        return None
    return slips


def _sound(word: str) -> str:
    for pattern, sound in _SOUNDS:
        word = pattern.sub(sound, word)
    return word


def _count_edits(one: str, other: str) -> int:
    """Return how many letters are wrong, missing or too many; two neighbours exchanged count as one."""
    rows = [list(range(len(other) + 1))]
    for at, letter in enumerate(one, 1):
        row = [at]
        for place, wanted in enumerate(other, 1):
            fewest = min(rows[-1][place] + 1, row[-1] + 1, rows[-1][place - 1] + (letter != wanted))
            if at > 1 < place and letter == other[place - 2] and one[at - 2] == wanted:
                fewest = min(fewest, rows[-2][place - 2] + 1)
            row.append(fewest)
        rows.append(row)
    return rows[-1][-1]
