"""SQL of the known words: those of published services, as they are written."""

from collections.abc import Mapping
from datetime import datetime

import msgspec

from balcao.core.database.pool import Connection
from balcao.search.collection.alias import Alias

BUDGET_SECONDS = 2.0


class KnownWord(msgspec.Struct, frozen=True):
    """A word as it is written, folded, and its lexeme; `services` says how many have it, about."""

    word: str
    folded: str
    lexeme: str
    services: int


# A word that begins with another one is not below it, and below it with the last of all characters behind. In this form
# the index serves a beginning that comes as a parameter.
_BEGINS = "folded OPERATOR(pg_catalog.~>=~) {start} AND folded OPERATOR(pg_catalog.~<~) ({start} || chr(1114111))"
_EXPAND = f"""
SELECT lexeme FROM search.known_words WHERE {_BEGINS.format(start="$1")}
GROUP BY lexeme ORDER BY max(services) DESC, lexeme LIMIT 20
"""  # noqa: S608 - a text of ours


async def expand(connection: Connection, start: str) -> list[str]:
    """Return the lexemes of the most frequent words that begin like this."""
    return [row["lexeme"] for row in await connection.fetch(_EXPAND, start, timeout=BUDGET_SECONDS)]


# Words that share letters by threes; of a short word, which shares few of them, those of about its length.
_NEAR = f"""
SELECT given.lexeme AS unknown, near.*
FROM unnest($1::text[], $2::text[]) AS given (lexeme, folded), LATERAL (
    (SELECT word, folded, lexeme, services FROM search.known_words WHERE folded OPERATOR(public.%) given.folded
     ORDER BY public.similarity(folded, given.folded) DESC, services DESC, word LIMIT 30)
    UNION
    (SELECT word, folded, lexeme, services FROM search.known_words
     WHERE length(given.folded) <= 6 AND {_BEGINS.format(start="left(given.folded, 1)")}
       AND abs(length(folded) - length(given.folded)) <= 1
     ORDER BY services DESC, word LIMIT 300)
) AS near
WHERE NOT EXISTS (SELECT FROM search.known_words WHERE lexeme = given.lexeme)
ORDER BY near.services DESC, near.word
"""  # noqa: S608 - a text of ours


async def list_near(connection: Connection, words: Mapping[str, str]) -> dict[str, list[KnownWord]]:
    """Return, for those of the words that no service has, what they may have been meant to be, the most frequent first.

    `words` are folded, by lexeme, and so is what is returned.
    """
    near: dict[str, list[KnownWord]] = {}
    lexemes, folded = list(words), list(words.values())
    for row in await connection.fetch(_NEAR, lexemes, folded, timeout=BUDGET_SECONDS):
        known = KnownWord(row["word"], row["folded"], row["lexeme"], row["services"])
        near.setdefault(row["unknown"], []).append(known)
    return near


# `ts_stat` counts the words of many texts in one pass; it takes the query as text, so the instant stands in it. Words
# are as they are written, but in lower case: the locale of the database may know no capitals but those of ASCII, and
# the others are lowered in what was counted, not in every text.
_REFRESH = """
INSERT INTO search.known_words (word, folded, lexeme, services)
SELECT spelled.word, split.folded, split.lexeme, spelled.services
FROM (
    SELECT translate(word, 'ÁÀÂÃÉÊÍÓÔÕÚÜÇ', 'áàâãéêíóôõúüç') AS word, sum(ndoc) AS services
    FROM ts_stat($texts$
        SELECT to_tsvector('pg_catalog.simple', concat_ws(' ',
                   doc ->> 'nome_servico', doc ->> 'resumo_plaintext', tema_geral, sub_categoria,
                   left(doc ->> 'descricao_completa_plaintext', 4000)))
        FROM search.{physical}
        WHERE status = 1 AND NOT exclusive AND last_update >= to_timestamp({since})
    $texts$)
    GROUP BY 1
) AS spelled, LATERAL (SELECT folded, lexeme FROM search.words_of(ARRAY[spelled.word]) LIMIT 1) AS split
WHERE spelled.word ~ '^[a-z\\u00df-\\u00f6\\u00f8-\\u00ff]{{3,40}}$' AND split.lexeme IS NOT NULL
ON CONFLICT (word) DO NOTHING
"""


async def refresh(connection: Connection, alias: Alias, since: datetime | None) -> None:
    """Enter the words of the services that changed since then, or of all; a word that is there keeps its count."""
    statement = _REFRESH.format(physical=alias.physical, since=int(since.timestamp()) if since else 0)
    await connection.execute(statement, timeout=600)


_KNOWS_ANY = "SELECT EXISTS (SELECT FROM search.known_words)"


async def knows_any(connection: Connection) -> bool:
    return bool(await connection.fetchval(_KNOWS_ANY))


_CLEAR = "DELETE FROM search.known_words"


async def clear(connection: Connection) -> None:
    await connection.execute(_CLEAR)
