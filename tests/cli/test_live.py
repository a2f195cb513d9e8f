"""`balcao maintenance` and `balcao limits`: what the operator types, and what the commands print."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from balcao.operate.expiry import LONGEST, parse_end
from balcao.operate.faults import OperatorFault
from tests.support.fixture_types import Sql
from tests.support.terminal import Terminal

ZONE = ZoneInfo("America/Sao_Paulo")
NOW = datetime(2026, 3, 1, 18, 0, tzinfo=UTC)  # 15:00 in the city's time zone


def test_a_service_is_put_into_maintenance_shown_and_given_back(terminal: Terminal, sql: Sql) -> None:
    said = terminal.run("maintenance", "on", "search", "agents", "--for", "2h", "--message", " Volta\n  às 14h. ")
    assert "Em manutenção, até" in said.stdout, said.stderr
    found = {entry["service"]: entry for entry in terminal.json("maintenance", "status", "--json")}
    assert found.keys() == {"search", "agents"}
    assert found["search"]["message"] == "Volta às 14h."
    assert "@" in found["search"]["by"]
    assert "Volta às 14h." in terminal.run("maintenance", "status").stdout
    doctor = terminal.run("doctor")
    assert "O serviço search está em manutenção até" in doctor.stdout.replace("\n", " ")
    assert terminal.run("maintenance", "off", "search", "agents").stdout == "De novo no ar: search, agents.\n"
    assert "Não está em manutenção" in terminal.refusal("maintenance", "off", "search")
    events = sql("SELECT operation, fields[1], reason FROM platform.audit_event ORDER BY at")
    assert [(event[0], event[1]) for event in events] == [
        ("platform.begin_maintenance", "search"),
        ("platform.begin_maintenance", "agents"),
        ("platform.end_maintenance", "search"),
        ("platform.end_maintenance", "agents"),
    ]
    assert all("@" in event[2] for event in events)
    assert not any("Volta" in event[2] for event in events)  # the public message is not in the audit trail


@pytest.mark.long
def test_a_limit_is_changed_shown_and_put_back(terminal: Terminal) -> None:
    name = "registry.read_preferences"
    assert "200/second" in terminal.run("limits", "set", name, "200/second", "--for", "1d").stdout
    (row,) = [row for row in terminal.json("limits", "show", name, "--json") if row["name"] == name]
    assert (row["rate"], row["configured"]) == ("200/second", "5000/second")
    said = terminal.run("limits", "show").stdout
    assert f"{name}: mudado ao vivo até" in said
    assert "@" in said
    (notice,) = terminal.json("doctor", "--json")["notices"]
    assert notice.startswith(f"O limite {name} vale 200/second até")
    assert "5000/second" in terminal.run("limits", "reset", name).stdout
    assert "já está como configurado" in terminal.refusal("limits", "reset", name)


@pytest.mark.long
def test_what_would_open_or_shut_a_door_by_a_slip_is_refused_in_a_sentence(terminal: Terminal) -> None:
    assert "quis dizer registry.read_preferences?" in terminal.refusal(
        "limits", "set", "registry.read_preferencs", "1/hour"
    )
    assert "um centésimo e dez vezes" in terminal.refusal("limits", "set", "BALCAO_READ_RATE", "500000/second")
    assert "não tem a forma" in terminal.refusal("limits", "set", "BALCAO_READ_RATE", "nunca")
    assert "Serviço desconhecido: buscas" in terminal.refusal("maintenance", "on", "buscas")
    assert "uma frase" in terminal.refusal("maintenance", "on", "search", "--message", " ")
    assert terminal.json("maintenance", "status", "--json") == []


@pytest.mark.parametrize(
    ("lasting", "until", "end"),
    [
        ("", "", None),
        ("30m", "", NOW + timedelta(minutes=30)),
        ("2h", "", NOW + timedelta(hours=2)),
        ("1d", "", NOW + timedelta(days=1)),
        ("", "15:30", NOW + timedelta(minutes=30)),
        ("", "14:59", NOW + timedelta(hours=23, minutes=59)),
        ("", "2026-03-02T15:00", NOW + timedelta(days=1)),
        ("", "2026-03-01T20:00+00:00", NOW + timedelta(hours=2)),
    ],
)
def test_the_end_is_said_as_people_say_it(lasting: str, until: str, end: datetime | None) -> None:
    assert parse_end(lasting, until, NOW, ZONE) == end


@pytest.mark.parametrize(
    ("lasting", "until"),
    [("1h", "18:00"), ("0m", ""), ("1", ""), ("-1h", ""), ("", "25:00"), ("", "2026-03-01T14:00"), ("9999d", "")],
)
def test_an_end_that_is_none_is_refused(lasting: str, until: str) -> None:
    with pytest.raises(OperatorFault):
        parse_end(lasting, until, NOW, ZONE)
    assert LONGEST.days == 90


@pytest.mark.long
def test_a_maintenance_is_planned_shown_and_given_up(terminal: Terminal) -> None:
    said = terminal.run("maintenance", "on", "search", "--from", "23:59", "--for", "2h").stdout
    assert said.startswith("Planejada, de")
    (plan,) = terminal.json("maintenance", "status", "--json")
    begin, end = (datetime.fromisoformat(plan[name]) for name in ("from", "until"))
    assert (begin.astimezone(ZONE).strftime("%H:%M"), end - begin) == ("23:59", timedelta(hours=2))
    assert "search: planejada, de" in terminal.run("maintenance", "status").stdout
    assert "diga também o fim" in terminal.refusal("maintenance", "on", "search", "--from", "23:59")
    assert "escreva 18:30" in terminal.refusal("maintenance", "on", "search", "--from", "logo", "--for", "2h")
    assert terminal.run("maintenance", "off", "search").stdout == "De novo no ar: search.\n"
    assert terminal.json("maintenance", "status", "--json") == []


@pytest.mark.long
def test_an_incident_is_opened_told_of_and_resolved(terminal: Terminal) -> None:
    said = terminal.run("incident", "open", "Busca lenta", "--service", "search", "--message", "Estamos vendo.").stdout
    number = said.split()[1]
    assert "Acrescentado" in terminal.run("incident", "note", number, "--message", "Achamos a causa.").stdout
    assert f"{number}: Busca lenta (search), aberto" in terminal.run("incident", "list").stdout
    assert "resolvido" in terminal.run("incident", "resolve", number, "--message", "Voltou.").stdout
    (told,) = terminal.json("incident", "list", "--json")
    assert told["notes"] == ["Estamos vendo.", "Achamos a causa.", "Voltou."]
    assert "já está resolvido" in terminal.refusal("incident", "note", number, "--message", "Mais.")
    assert "Não há o incidente 999" in terminal.refusal("incident", "note", "999", "--message", "Mais.")
    assert "dados pessoais" in terminal.refusal(
        "incident", "open", "Busca", "--service", "search", "--message", "Ligue (21) 99999-1234."
    )
    assert "Serviço desconhecido: buscas" in terminal.refusal(
        "incident", "open", "Busca", "--service", "buscas", "--message", "Estamos vendo."
    )
