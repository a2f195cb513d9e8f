"""Which words the catalogue knows: what a mistyped one was meant to be, and how one that is half typed goes on."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta

from balcao.core.context.platform import Platform
from balcao.core.database.pool import Connection
from balcao.core.logs import log
from balcao.core.values.clock import utc_now
from balcao.search.collection.alias import Alias
from balcao.search.collection.store import read_alias
from balcao.search.vocabulary import spelling, store

MOST_CORRECTIONS = 2


@dataclass(frozen=True)
class Correction:
    """What an unknown word was probably meant to be: as written, and the lexemes to search for."""

    word: str
    lexemes: Sequence[str]


async def expand_word(connection: Connection, start: str) -> list[str]:
    """Return the lexemes of the known words that begin like this folded word."""
    return await store.expand_word(connection, start) if start.isalnum() else []


async def correct_words(connection: Connection, alias: Alias, words: Mapping[str, str]) -> dict[str, Correction]:
    """Return the corrections of those words that no service has, by lexeme; `words` are the folded ones by lexeme."""
    asked = {lexeme: word for lexeme, word in words.items() if len(word) >= spelling.SHORTEST and not word.isdigit()}
    if not asked:
        return {}
    corrections = {}
    for lexeme, near in (await store.list_near_words(connection, alias, asked)).items():
        chosen = _choose(asked[lexeme], near)
        if chosen:
            corrections[lexeme] = Correction(chosen[0].word, list(dict.fromkeys(word.lexeme for word in chosen)))
    return corrections


def _choose(folded: str, near: Sequence[store.KnownWord]) -> list[store.KnownWord]:
    """Return the nearest words, of those that are equally near the most frequent first."""
    rated = [(slips, word) for word in near if (slips := spelling.count_slips(folded, word.folded)) is not None]
    nearest = min((slips for slips, _ in rated), default=0)
    chosen = [word for slips, word in rated if slips == nearest]
    return sorted(chosen, key=lambda word: (-word.services, word.word))[:MOST_CORRECTIONS]


async def weigh_words(connection: Connection, alias: Alias, lexemes: Iterable[str]) -> dict[str, float]:
    """Return how much each lexeme says: the rarer in the catalogue the more; one that no service has is left out."""
    total, services = await store.count_services(connection, alias, sorted(set(lexemes)))
    largest = max(total, *services.values(), 1)
    return {lexeme: math.log(1 + largest / max(count, 1)) for lexeme, count in services.items()}


async def enter_words(platform: Platform, service_id: str) -> None:
    """Enter the words of a service that was just written, so that the next query knows them.

    Nothing is entered while all words are counted, and no fault of it is the writer's: what is left out the worker
    enters within minutes.
    """
    try:
        async with platform.database.connection() as connection:
            await store.enter_words_of(connection, await read_alias(connection), service_id)
    except Exception as failure:  # the service is written, whatever becomes of its words
        log.warning("search.words_not_entered", code=type(failure).__name__)


async def refresh_vocabulary(platform: Platform, since: timedelta | None = None) -> None:
    """Enter the words of services that changed within this time; without it, of all of them and count anew.

    While no word is known (a catalogue just restored, whose services changed long ago) it is all of them in any case.
    """
    async with platform.database.transaction() as connection:
        await store.lock_vocabulary(connection)
        if since is None:
            await store.clear_known_words(connection)
        alias = await read_alias(connection)
        lately = since is not None and await store.has_known_words(connection)
        await store.enter_words(connection, alias, utc_now() - since if since and lately else None)
