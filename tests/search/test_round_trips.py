"""A change to a service needs few statements, and a search needs none (rules: search 4.6, 5)."""

from uuid import uuid4

from balcao.core.context.call import Call
from balcao.search.index.public_index import PublicIndex
from balcao.search.public_search import service as public_search
from balcao.search.public_search.parameters import SearchRequest
from balcao.search.services import service as services
from balcao.search.synonyms import service as synonyms
from balcao.search.synonyms.schemas import SynonymBody
from balcao.settings import Settings
from tests.search.support import act_as_staff, body
from tests.support.operator_calls import acting
from tests.support.polling import until
from tests.support.sent_statements import Statements, recorded

# The statements that read the synonyms, and that detect whether they have changed.
REVISION, TERMS = "read_synonyms_revision", "list_synonym_terms"


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


def test_a_search_sends_no_statement(settings: Settings, database_url: str) -> None:
    with recorded() as statements, acting(settings, database_url, "search.test") as act:
        act(_search)  # reads the synonyms and caches them
        statements.texts.clear()
        act(_search)
        assert statements.texts == []


def test_synonyms_are_read_again_only_after_they_change(settings: Settings, database_url: str) -> None:
    with recorded() as statements, acting(settings, database_url, "search.test") as act:

        def count(mark: str) -> int:
            return sum(mark in text for text in statements.of_copies)

        async def put(call: Call) -> None:
            await synonyms.put_synonym_group(act_as_staff(call.platform), str(uuid4()), SynonymBody(["junco", "vime"]))
            await until(lambda: count(TERMS) > known)

        async def save(call: Call) -> None:
            before = count(REVISION)
            await _publish(call)
            await until(lambda: count(REVISION) > before)

        act(_search)
        known = count(TERMS)
        act(put)
        known = count(TERMS)
        for _ in range(3):
            act(save)
        assert count(TERMS) == known


async def _search(call: Call) -> int:
    index = await call.platform.part(PublicIndex).read()
    found = await public_search.search_services(call, index, SearchRequest(q="junco branco", facets=("is_free",)))
    return found.total


async def _publish(call: Call, name: str = "Poda de junco") -> None:
    await services.create_service(act_as_staff(call.platform), body(nome_servico=name, status=1))


def _take(statements: Statements) -> list[str]:
    """Return the marks that occur in the recorded statements, in order and without schema, and clear the record.

    Check that each recorded statement of the search contains a mark.
    """
    marks = ("BEGIN", "COMMIT", "open_service", "take_slug", "INSERT INTO search.service_versions")
    found = [mark for text in statements.texts for mark in marks if mark in text]
    assert all(any(mark in text for mark in marks) for text in statements.texts if "search." in text)
    statements.texts.clear()
    return [mark.rpartition(".")[2] for mark in found]
