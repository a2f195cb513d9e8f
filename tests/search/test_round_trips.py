"""A change of one service is sent in few statements, whatever it leaves behind (rules: search 5)."""

from balcao.search.services import service as services
from balcao.settings import Settings
from tests.search.support import act_as_staff, body
from tests.support.acting import acting
from tests.support.statements import Statements, recorded


def test_a_change_is_sent_in_two_statements_and_one_more_for_a_new_address(
    settings: Settings, database_url: str
) -> None:
    with recorded() as statements, acting(settings, database_url, "search.test") as act:
        statements.texts.clear()
        created = act(lambda call: services.create(act_as_staff(call.platform), body()))
        assert _take(statements) == ["BEGIN", "open_service", "take_slug", "service_versions", "COMMIT"]
        act(lambda call: services.update(act_as_staff(call.platform), created.id, body(resumo="Outro.")))
        assert _take(statements) == ["BEGIN", "open_service", "service_versions", "COMMIT"]
        act(lambda call: services.update(act_as_staff(call.platform), created.id, body(nome_servico="Outro nome")))
        assert _take(statements) == ["BEGIN", "open_service", "take_slug", "service_versions", "COMMIT"]


def _take(statements: Statements) -> list[str]:
    """Return by what each statement is known, and forget them; those of the process itself are none of the change."""
    marks = ("BEGIN", "COMMIT", "open_service", "take_slug", "INSERT INTO search.service_versions")
    found = [mark for text in statements.texts for mark in marks if mark in text]
    others = [text for text in statements.texts if not any(mark in text for mark in marks)]
    statements.texts.clear()
    about_search = [text for text in others if "search." in text]
    assert all("search.search_collection" in text or "search.synonyms" in text for text in about_search)
    return [mark.rpartition(".")[2] for mark in found]
