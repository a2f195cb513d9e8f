"""The phrases that citizens use to ask for each service (rules: search 2.5, 4.6)."""

from collections.abc import Mapping, Sequence

import msgspec

from balcao.core.context.call import Call
from balcao.core.errors import Invalid, NotFound
from balcao.core.values.text import clean_text
from balcao.search.conventions import describe_event, name_actor, parse_uuid_parameter, require_present_match
from balcao.search.phrases import store
from balcao.search.phrases.schemas import PhraseProposals, PhrasesBody, ServicePhrases
from balcao.search.portuguese.analysis import fold_label, tokenize
from balcao.search.zero_results.service import FEWEST_TIMES

MOST_PHRASES = 50
LONGEST_PHRASE = 100
# A query is proposed if fewer than one in ten searches led to a service.
SEARCHES_PER_OPENING = 10
# The reason for a proposal: the query found nothing at least `FEWEST_TIMES`, or its results were rarely opened.
OUTCOMES = NOTHING, UNOPENED = "nothing", "unopened"
UNKNOWN = "Serviço não encontrado."


async def read_phrases(call: Call, service_id: str) -> ServicePhrases:
    """Return the phrases of a service. Raises NotFound if the service does not exist."""
    known = parse_uuid_parameter(service_id, UNKNOWN)
    return _require(await store.select_phrases(call.platform.database, known))


async def replace_phrases(call: Call, service_id: str, body: PhrasesBody) -> ServicePhrases:
    """Replace the phrases of a service.

    Raises NotFound if the service does not exist, Invalid for a bad phrase or too many phrases, and PreconditionFailed
    if `If-Match` does not match.
    """
    known = parse_uuid_parameter(service_id, UNKNOWN)
    phrases = clean_phrases(body.phrases)
    async with call.platform.database.transaction() as connection:
        require_present_match(call, _require(await store.lock_phrases(connection, known)))
        if phrases:
            stored = await store.upsert_phrases(connection, known, phrases, name_actor(call))
        else:
            await store.delete_phrases(connection, known)
            stored = ServicePhrases(known, [], None, None)
        fields = describe_event(service=known, phrases=len(phrases))
        await call.platform.audit.record(connection, call, "update", fields=fields)
    return stored


async def seed_phrases(call: Call, phrases: Mapping[str, Sequence[str]]) -> None:
    """Store phrases by service id. Do nothing if any service already has phrases.

    `clean_phrases` must have cleaned the phrases, because cleaning thousands at every start would take too long.
    """
    seeds = [store.SeededPhrases(each, msgspec.json.encode(given).decode()) for each, given in phrases.items()]
    async with call.platform.database.transaction() as connection:
        count = await store.seed_phrases(connection, seeds, name_actor(call))
        if count:
            await call.platform.audit.record(connection, call, "create", fields=describe_event(services=count))


async def list_proposals(call: Call, outcome: str | None, page: int, per_page: int) -> PhraseProposals:
    """Return a page of the queries that were searched often but rarely led to a service.

    `outcome` selects either the queries that found nothing or the others.
    """
    found_nothing = None if outcome is None else outcome == NOTHING
    async with call.platform.database.connection() as connection:
        found, proposals = await store.list_phrase_proposals(
            connection,
            LONGEST_PHRASE,
            FEWEST_TIMES,
            SEARCHES_PER_OPENING,
            found_nothing,
            per_page,
            (page - 1) * per_page,
        )
    return PhraseProposals(found, found, page, per_page, proposals)


def clean_phrases(given: Sequence[str]) -> list[str]:
    """Clean the phrases, and remove those that only differ in case, accents or punctuation.

    Raises Invalid for too many phrases, or a phrase that contains only ignored words.
    """
    if len(given) > MOST_PHRASES:
        raise Invalid(f"O campo `phrases` deve ter no máximo {MOST_PHRASES} frases.", code="phrases-count")
    phrases: dict[str, str] = {}
    for phrase in (clean_text("phrases", each, longest=LONGEST_PHRASE) for each in given):
        if not tokenize(phrase):
            text = "O campo `phrases` tem uma frase só de palavras que a busca ignora, como “de” e “para”."
            raise Invalid(text, code="phrases-invalid")
        phrases.setdefault(fold_label(phrase), phrase)
    return list(phrases.values())


def _require(stored: ServicePhrases | None) -> ServicePhrases:
    """Return the phrases. Raises NotFound if the service does not exist."""
    if stored is None:
        raise NotFound(UNKNOWN)
    return stored
