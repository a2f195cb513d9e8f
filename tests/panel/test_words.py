"""Dates, numbers and names are written in the way that people in the city write them."""

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

from balcao.panel.application import list_uses
from balcao.panel.areas import AREAS
from balcao.web.person.client import Access, AccessNames
from balcao.web.person.labels import describe_access, show_member
from balcao.web.words import Words, format_phone

WORDS = Words(ZoneInfo("America/Sao_Paulo"))


def test_a_phone_number_of_the_country_is_written_as_people_write_it_and_any_other_as_it_came() -> None:
    assert format_phone("+5521900019999") == "(21) 90001-9999"
    assert format_phone("+55 21 22220016") == "(21) 2222-0016"
    assert format_phone("21900000003") == "(21) 90000-0003"
    assert format_phone("+14155552671") == "+14155552671"
    assert format_phone("190") == "190"


def test_a_deadline_at_the_end_of_a_day_is_that_day_and_any_other_says_its_hour() -> None:
    assert ">27/12/2026<" in WORDS.format_deadline(datetime(2026, 12, 28, 2, 59, 59, tzinfo=UTC))
    assert ">27/12/2026, 18:00<" in WORDS.format_deadline(datetime(2026, 12, 27, 21, tzinfo=UTC))
    assert WORDS.format_deadline(None) == "–"


def test_what_the_record_holds_is_written_as_people_write_it() -> None:
    assert show_member("endereco", "Ladeira das Pedras, 98, Porto Aurora, RJ, 24008511").endswith("RJ, 24008-511")
    assert show_member("telefone", "+55 21 900000003") == "(21) 90000-0003"
    assert show_member("nascimento", "1972-02-20") == "20/02/1972"
    assert show_member("nome", "Carla Nogueira") == "Carla Nogueira"
    assert show_member("raca", "indigena") == "Indígena"
    assert show_member("raca", "Quilombola") == "Quilombola"
    assert show_member("email", None) == "não consta"


def test_a_right_is_told_by_the_pages_that_it_opens_those_of_the_navigation_first() -> None:
    assert list_uses(AREAS)["service:publish"][:2] == ["Fila de aprovação", "Publicar"]


def test_what_was_read_is_said_once_however_many_fields_it_has() -> None:
    named = ["as preferências de mensagens", "as preferências de mensagens", "os chamados"]
    access = Access(
        at=datetime.now(UTC),
        action="read",
        operation="registry.read",
        fields=["opt_in", "category_opt_ins", "tickets"],
        actor_kind="staff",
        actor="painel",
        department=None,
        grant="",
        reason=None,
        outcome="done",
        names=AccessNames("Leu", named, "Servidor da prefeitura"),
    )
    assert describe_access(access) == "Leu as preferências de mensagens e os chamados"
