"""Which words the catalogue knows: what a mistyped one was meant to be, and how one that is half typed goes on."""

import difflib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta

from balcao.core.context.platform import Platform
from balcao.core.database.pool import Connection
from balcao.core.values.clock import utc_now
from balcao.search.collection import service as collection
from balcao.search.vocabulary import store

# Share of letters in common, in their order, from which on a word may stand for another.
NEAREST = 0.75
MOST_CORRECTIONS = 2
SHORTEST = 3


@dataclass(frozen=True)
class Correction:
    """What an unknown word was probably meant to be: as written, and the lexemes to search for."""

    word: str
    lexemes: Sequence[str]


async def expand(connection: Connection, start: str) -> list[str]:
    """Return the lexemes of the known words that begin like this folded word."""
    return await store.expand(connection, start) if start.isalnum() else []


async def correct(connection: Connection, words: dict[str, str]) -> dict[str, Correction]:
    """Return the corrections of those words that no service has, by lexeme; `words` are the folded ones by lexeme."""
    asked = {lexeme: word for lexeme, word in words.items() if len(word) >= SHORTEST and not word.isdigit()}
    corrections = {}
    for lexeme, near in (await store.list_near(connection, asked)).items():
        chosen = _choose(asked[lexeme], near)
        if chosen:
            corrections[lexeme] = Correction(chosen[0].word, list(dict.fromkeys(word.lexeme for word in chosen)))
    return corrections


def _choose(folded: str, near: Sequence[store.KnownWord]) -> list[store.KnownWord]:
    """Return the nearest words, of those that are equally near the most frequent first."""
    matcher = difflib.SequenceMatcher(autojunk=False)
    matcher.set_seq2(folded)
    rated = []
    for word in near:
        matcher.set_seq1(word.folded)
        if matcher.real_quick_ratio() >= NEAREST and (ratio := matcher.ratio()) >= NEAREST:
            rated.append((ratio, word.services, word))
    rated.sort(key=lambda entry: (-entry[0], -entry[1], entry[2].word))
    best = rated[0][0] if rated else 0.0
    return [word for ratio, _, word in rated if ratio >= best - 0.05][:MOST_CORRECTIONS]


async def refresh(platform: Platform, since: timedelta | None = None) -> None:
    """Enter the words of services that changed within this time; without it, of all of them and count anew.

    While no word is known (a catalogue just restored, whose services changed long ago) it is all of them in any case.
    """
    async with platform.database.transaction() as connection:
        if since is None:
            await store.clear(connection)
        alias = await collection.read_alias(connection)
        lately = since is not None and await store.knows_any(connection)
        await store.refresh(connection, alias, utc_now() - since if since and lately else None)
