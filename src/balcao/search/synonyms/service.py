"""Groups of terms that a search treats as equivalent (rules: search 4.6, query)."""

from collections.abc import Sequence

from balcao.core.context.call import Call
from balcao.core.database.pool import Connection
from balcao.core.errors import Conflict, Invalid, NotFound
from balcao.core.values.text import clean_text
from balcao.search.conventions import describe_event, name_actor, parse_uuid_parameter, require_present_match
from balcao.search.portuguese.analysis import tokenize
from balcao.search.synonyms import store
from balcao.search.synonyms.schemas import SynonymBody, SynonymGroup, SynonymGroups

FEWEST_TERMS, MOST_TERMS = 2, 20
LONGEST_TERM = 100
# The limit exists because every process holds all groups in memory.
MOST_GROUPS = 2000
UNKNOWN = "Grupo de sinônimos não encontrado."


async def list_synonym_groups(call: Call, term: str | None, page: int, per_page: int) -> SynonymGroups:
    """Return a page of the groups. With `term`, return only groups with a term that contains `term`."""
    async with call.platform.database.connection() as connection:
        found, groups = await store.list_synonym_groups(connection, term, per_page, (page - 1) * per_page)
    return SynonymGroups(found, found, page, per_page, groups)


async def read_synonym_group(call: Call, group_id: str) -> SynonymGroup:
    """Return a group. Raises NotFound if it does not exist."""
    group = await store.select_synonym_group(call.platform.database, parse_uuid_parameter(group_id, UNKNOWN))
    if group is None:
        raise NotFound(UNKNOWN)
    return group


async def put_synonym_group(call: Call, group_id: str, body: SynonymBody) -> SynonymGroup:
    """Create or replace a group. A notification makes every process reload its synonyms.

    Raises NotFound for a malformed id, Invalid for bad terms, Conflict if there are too many groups, and
    PreconditionFailed if `If-Match` does not match.
    """
    known = parse_uuid_parameter(group_id, UNKNOWN)
    terms = _clean_terms(body.terms)
    async with call.platform.database.transaction() as connection:
        await _require_match(connection, call, known)
        group = await store.upsert_synonym_group(connection, known, terms, name_actor(call))
        if await store.count_synonym_groups(connection) > MOST_GROUPS:
            raise Conflict(f"Já há {MOST_GROUPS} grupos de sinônimos: remova algum.", code="synonyms-full")
        await call.platform.audit.record(connection, call, "update", fields=describe_event(synonyms=known))
    return group


async def remove_synonym_group(call: Call, group_id: str) -> None:
    """Remove a group. Raises NotFound if it does not exist, and PreconditionFailed if `If-Match` does not match."""
    known = parse_uuid_parameter(group_id, UNKNOWN)
    async with call.platform.database.transaction() as connection:
        present = await store.lock_synonym_group(connection, known)
        if present is None:
            raise NotFound(UNKNOWN)
        require_present_match(call, present)
        await store.delete_synonym_group(connection, known)
        await call.platform.audit.record(connection, call, "delete", fields=describe_event(synonyms=known))


async def _require_match(connection: Connection, call: Call, group_id: str) -> None:
    """Lock the group, and raise PreconditionFailed if `If-Match` does not match it. Do nothing without the header."""
    if call.if_match is not None:
        require_present_match(call, await store.lock_synonym_group(connection, group_id))


def _clean_terms(given: Sequence[str]) -> list[str]:
    """Clean the terms and remove duplicates. Raises Invalid for a bad term, or too few or too many terms."""
    if len(given) > MOST_TERMS:
        raise _refuse_count()
    terms = list(dict.fromkeys(clean_text("terms", term, longest=LONGEST_TERM) for term in given))
    if len(terms) < FEWEST_TERMS:
        raise _refuse_count()
    if not all(tokenize(term) for term in terms):
        text = "O campo `terms` tem um termo só de palavras que a busca ignora."
        raise Invalid(text, code="terms-invalid")
    return terms


def _refuse_count() -> Invalid:
    text = f"O campo `terms` deve ter de {FEWEST_TERMS} a {MOST_TERMS} termos diferentes."
    return Invalid(text, code="terms-count")
