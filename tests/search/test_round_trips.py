"""A change of one service and a search are sent in few statements (rules: search 4.6, 5)."""

from uuid import uuid4

from balcao.core.context.call import Call
from balcao.core.context.platform import Platform
from balcao.search.collection.store import read_alias
from balcao.search.public_search import service as public_search
from balcao.search.public_search.parameters import SearchRequest
from balcao.search.public_search.state import SearchState
from balcao.search.services import service as services
from balcao.search.synonyms import service as synonyms
from balcao.search.synonyms.schemas import SynonymBody
from balcao.settings import Settings
from tests.search.support import act_as_staff, body
from tests.support.operator_calls import acting
from tests.support.polling import until
from tests.support.sent_statements import Statements, recorded

# The statements by which a process learns whether the synonyms are others, and reads them.
REVISION, LEXEMES = "xmin", "unnest(terms)"


def test_a_change_is_sent_in_two_statements_and_one_more_for_a_new_address(
    settings: Settings, database_url: str
) -> None:
    with recorded() as statements, acting(settings, database_url, "search.test") as act:
        statements.texts.clear()
        created = act(lambda call: services.create_service(act_as_staff(call.platform), body()))
        assert _take(statements) == ["BEGIN", "open_service", "take_slug", "service_versions", "COMMIT"]
        act(lambda call: services.update_service(act_as_staff(call.platform), created.id, body(resumo="Outro.")))
        assert _take(statements) == ["BEGIN", "open_service", "service_versions", "COMMIT"]
        act(
            lambda call: services.update_service(
                act_as_staff(call.platform), created.id, body(nome_servico="Outro nome")
            )
        )
        assert _take(statements) == ["BEGIN", "open_service", "take_slug", "service_versions", "COMMIT"]


def test_a_search_that_finds_what_was_typed_is_one_statement_in_a_transaction(
    settings: Settings, database_url: str
) -> None:
    with recorded() as statements, acting(settings, database_url, "search.test") as act:
        act(_publish, "Colheita de junco branco")
        assert act(_search) == 1  # folds the words and the synonyms, which are kept
        statements.texts.clear()
        assert act(_search) == 1
        assert [text.split()[0] for text in statements.texts] == ["BEGIN", "WITH", "COMMIT"]


def test_a_save_has_no_process_read_the_synonyms_again_but_their_change_has(
    settings: Settings, database_url: str
) -> None:
    """Folding them costs more than the save."""
    with recorded() as statements, acting(settings, database_url, "search.test") as act:

        def count(mark: str) -> int:
            return sum(mark in text for text in statements.of_copies)

        async def put(call: Call) -> None:
            await synonyms.put_synonym_group(act_as_staff(call.platform), str(uuid4()), SynonymBody(["junco", "vime"]))
            await until(lambda: count(LEXEMES) > known)

        async def save(call: Call) -> None:
            before = count(REVISION)
            await _publish(call)
            await until(lambda: count(REVISION) > before)

        act(_search)
        known = count(LEXEMES)
        act(put)
        known = count(LEXEMES)
        for _ in range(3):
            act(save)
        assert count(LEXEMES) == known


async def test_synonyms_that_a_change_may_have_overtaken_are_read_again(platform: Platform) -> None:
    kept = SearchState()
    async with platform.database.connection() as connection:
        alias = await read_alias(connection)
        began = kept.changes
        kept.begin_reload()  # the notice of a change comes while they are read
        read = await public_search._read_synonyms(connection, kept, alias, began)
        assert kept.synonyms is None
        assert await public_search._read_synonyms(connection, kept, alias, kept.changes) == read
        assert kept.synonyms == read


async def _search(call: Call) -> int:
    found = await public_search.search_services(call, SearchRequest(q="junco branco", facets=("is_free",)))
    return found.page.total


async def _publish(call: Call, name: str = "Poda de junco") -> None:
    await services.create_service(act_as_staff(call.platform), body(nome_servico=name, status=1))


def _take(statements: Statements) -> list[str]:
    """Return by what each statement is known, and forget them."""
    marks = ("BEGIN", "COMMIT", "open_service", "take_slug", "INSERT INTO search.service_versions")
    found = [mark for text in statements.texts for mark in marks if mark in text]
    assert all(any(mark in text for mark in marks) for text in statements.texts if "search." in text)
    statements.texts.clear()
    return [mark.rpartition(".")[2] for mark in found]
