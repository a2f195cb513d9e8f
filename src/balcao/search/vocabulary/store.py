"""SQL of the known words: those of published services, as they are written."""

from collections.abc import Mapping, Sequence
from datetime import datetime

import msgspec

from balcao.core.database.pool import Connection
from balcao.core.database.statements import statement
from balcao.search.collection.alias import Alias

BUDGET_SECONDS = 2.0


class KnownWord(msgspec.Struct, frozen=True):
    """A word as it is written, folded, and its lexeme; `services` says how many have it, about."""

    word: str
    folded: str
    lexeme: str
    services: int


# Words that begin with a text sort from the text itself up to the text with the last of all characters behind it. In
# this form the index serves a beginning that comes as a parameter.
_BEGINS = "folded OPERATOR(pg_catalog.~>=~) {start} AND folded OPERATOR(pg_catalog.~<~) ({start} || chr(1114111))"
_EXPAND = f"""
SELECT lexeme FROM search.known_words WHERE {_BEGINS.format(start="$1")}
GROUP BY lexeme ORDER BY max(services) DESC, lexeme LIMIT 20
"""


async def expand_word(connection: Connection, start: str) -> list[str]:
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
  AND NOT EXISTS (SELECT FROM search.{{physical}} AS service
                  WHERE service."full" @@ quote_literal(given.lexeme)::tsquery
                    AND service.status = 1 AND NOT service.exclusive)
ORDER BY near.services DESC, near.word
"""


async def list_near_words(connection: Connection, alias: Alias, words: Mapping[str, str]) -> dict[str, list[KnownWord]]:
    """Return, for those of the words that no service has, what they may have been meant to be, the most frequent first.

    `words` are folded, by lexeme, and so is what is returned.
    """
    near: dict[str, list[KnownWord]] = {}
    lexemes, folded = list(words), list(words.values())
    statement = _NEAR.format(physical=alias.physical)
    for row in await connection.fetch(statement, lexemes, folded, timeout=BUDGET_SECONDS):
        known = KnownWord(row["word"], row["folded"], row["lexeme"], row["services"])
        near.setdefault(row["unknown"], []).append(known)
    return near


_COUNT = """
SELECT greatest(pg_class.reltuples, 0)::int AS total, found.lexeme, found.services
FROM pg_class LEFT JOIN (
    SELECT lexeme, sum(services)::int AS services FROM search.known_words WHERE lexeme = ANY($1) GROUP BY lexeme
) AS found ON true
WHERE pg_class.oid = to_regclass('search.' || $2)
"""


async def count_services(connection: Connection, alias: Alias, lexemes: Sequence[str]) -> tuple[int, dict[str, int]]:
    """Return about how many services there are, and about how many have each of the lexemes that are known."""
    rows = await connection.fetch(_COUNT, lexemes, alias.physical, timeout=BUDGET_SECONDS)
    services = {row["lexeme"]: row["services"] for row in rows if row["lexeme"] is not None}
    return (rows[0]["total"] if rows else 0), services


# Words are as they are written, but in lower case: the locale of the database may know no capitals but those of ASCII,
# and the others are lowered in what was found, not in every text.
_LOWER = "translate(word, 'ÁÀÂÃÉÊÍÓÔÕÚÜÇ', 'áàâãéêíóôõúüç')"
_WRITTEN = """
to_tsvector('pg_catalog.simple', concat_ws(' ', doc ->> 'nome_servico', doc ->> 'resumo_plaintext', tema_geral,
    sub_categoria, left(doc ->> 'descricao_completa_plaintext', 4000)))
"""
# `ts_stat` counts the words of many texts in one pass; it takes the query as text, so the instant stands in it.
_OF_MANY = f"""
SELECT {_LOWER} AS word, sum(ndoc) AS services
FROM ts_stat($texts$
    SELECT {_WRITTEN} FROM search.{{physical}}
    WHERE status = 1 AND NOT exclusive AND last_update >= to_timestamp({{since}})
$texts$)
GROUP BY 1
"""
_OF_ONE = f"""
SELECT DISTINCT {_LOWER} AS word, 1 AS services
FROM search.{{physical}}, unnest(tsvector_to_array({_WRITTEN})) AS written (word)
WHERE id = $1 AND status = 1 AND NOT exclusive
  AND pg_try_advisory_xact_lock_shared(hashtextextended('search.vocabulary', 0))
"""
# Folding costs most, so words that are known are left out before it, and so are stop words, which never become known.
_ENTER = """
INSERT INTO search.known_words (word, folded, lexeme, services)
SELECT spelled.word, split.folded, split.lexeme, spelled.services
FROM (
    SELECT * FROM ({written}) AS found
    WHERE word ~ '^[a-z\\u00df-\\u00f6\\u00f8-\\u00ff]{{{{3,40}}}}$'
      AND NOT EXISTS (SELECT FROM search.known_words WHERE word = found.word)
      AND search.drop_stop_words(search.fold_label(word)) <> ''
    OFFSET 0
) AS spelled, LATERAL (SELECT folded, lexeme FROM search.words_of(ARRAY[spelled.word]) LIMIT 1) AS split
WHERE split.lexeme IS NOT NULL
ORDER BY spelled.word
ON CONFLICT (word) DO NOTHING
"""
_ENTER_MANY, _ENTER_ONE = _ENTER.format(written=_OF_MANY), _ENTER.format(written=_OF_ONE)


async def enter_words(connection: Connection, alias: Alias, since: datetime | None) -> None:
    """Enter the words of the services that changed since then, or of all; a word that is there keeps its count."""
    statement = _ENTER_MANY.format(physical=alias.physical, since=int(since.timestamp()) if since else 0)
    await connection.execute(statement, timeout=600)


# The count of all words holds the lock for long, so an editor only tries for it, and shares it with other editors: the
# words of a service are entered by one statement, in their order, so that two of them do not deadlock.
@statement("SELECT pg_advisory_xact_lock(hashtextextended('search.vocabulary', 0))")
async def lock_vocabulary(connection: Connection) -> None:
    """Let nobody else enter words until the transaction ends."""


async def enter_words_of(connection: Connection, alias: Alias, service_id: str) -> None:
    """Enter the words of one service, unless many are being entered; those that are there keep their count."""
    await connection.execute(_ENTER_ONE.format(physical=alias.physical), service_id, timeout=BUDGET_SECONDS)


@statement("SELECT EXISTS (SELECT FROM search.known_words)")
async def has_known_words(connection: Connection) -> bool: ...


@statement("DELETE FROM search.known_words")
async def clear_known_words(connection: Connection) -> None: ...
