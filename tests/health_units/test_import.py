"""The import of units, weekly hours and notifications from a previous system (rules: health_units 2.4)."""

import gc
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest

from balcao.cli.imports import run_import
from balcao.core.imports.declaration import Committed
from balcao.health_units import SERVICE
from balcao.settings import Settings
from tests.registry.import_runs import Load, counts, importing, refusals, written
from tests.support.fixture_types import Sql
from tests.support.issuer import Issuer
from tests.support.polling import until_now
from tests.support.sent_statements import recorded
from tests.support.terminal import Terminal

SAMPLES = Path(__file__).parents[2] / "docs/operate/samples/health_units"
# The number of lines and the number of rows in each file. The first line of a table is the header.
FILES = {"units.jsonl": (3, 3), "units.csv": (3, 2), "notifications.jsonl": (3, 3), "notifications.csv": (3, 2)}
TABLES = "units unit_weekly_hours notifications notification_events change_feed".split()
WEEK = {"1": [{"inicio": "08:00", "fim": "17:00"}]}
AT = "2026-03-02T09:00:00-03:00"


@pytest.fixture(scope="module")
def load(settings: Settings, database_url: str) -> Iterator[Load]:
    with importing(settings, database_url, SERVICE) as running:
        yield running


@pytest.fixture
def report(tmp_path: Path) -> Path:
    return tmp_path / "refused.jsonl"


def read_all(sql: Sql) -> list[list[Any]]:
    """Return every row, with the id of the transaction that wrote it."""
    return [sql(f"SELECT *, xmin::text FROM health_units.{table} ORDER BY 1, 2") for table in TABLES]


def unit(cnes: str, **members: Any) -> dict[str, Any]:
    return {"cnes": cnes, "nome": "Unidade", "tipo": "CF"} | members


def notification(cnes: str, at: str = AT, **members: Any) -> dict[str, Any]:
    return {"cnes": cnes, "risco": "Amarelo", "aberta_em": at} | members


def test_the_samples_are_imported_and_again_touch_no_row(
    load: Load, sql: Sql, report: Path, http: httpx.Client, citizen: dict[str, str]
) -> None:
    for name, (lines, rows) in FILES.items():
        assert counts(load(SAMPLES / name, name.partition(".")[0], report=report)) == (lines, rows, 0, 0), name
    before = read_all(sql)
    for name, (lines, rows) in FILES.items():
        assert counts(load(SAMPLES / name, name.partition(".")[0])) == (lines, 0, rows, 0), name
    assert read_all(sql) == before

    def read(path: str) -> Any:
        return http.get(f"/health-units/unidade/{path}", headers=citizen).json()

    until_now(lambda: "risco_atual" in read("0091003") and read("0091003")["risco_atual"]["risco"] == "Amarelo")
    assert read("9910002")["risco_atual"]["ultima_atualizacao"] == "2026-11-20T12:00:00-03:00"
    assert read("9910001")["funcionamento_dia_util"] == {"inicio": 8, "fim": 17}
    assert read("9910001/risco")["ultima_notificacao"]["risco"] == "Laranja"  # mistaken notifications do not count
    assert read("9910004")["latitude"] == -22.91
    assert read("9910005")["atendimento"]["situacao"] == "fechado"


def test_a_dry_run_counts_the_same_and_leaves_nothing(load: Load, sql: Sql, tmp_path: Path) -> None:
    file = written(tmp_path / "units.jsonl", [unit("9920001", semana=WEEK), unit("x")])
    before = read_all(sql)
    assert counts(load(file, "units", dry_run=True)) == (2, 1, 0, 1)
    assert read_all(sql) == before
    assert counts(load(file, "units")) == (2, 1, 0, 1)


def test_what_changed_is_written_and_an_absent_week_stays(load: Load, sql: Sql, tmp_path: Path) -> None:
    path = tmp_path / "units.jsonl"
    load(written(path, [unit("9920002", semana=WEEK), unit("9920003")]), "units")
    assert counts(load(written(path, [unit("9920002", nome="Outro"), unit("9920003")]), "units")) == (2, 1, 1, 0)
    ((nome, semana),) = sql(
        "SELECT nome, semana ->> '1' FROM health_units.units JOIN health_units.unit_weekly_hours USING (cnes)"
        " WHERE cnes = '9920002'"
    )
    assert (nome, "08:00" in semana) == ("Outro", True)


def test_what_happened_since_is_caught_up(load: Load, sql: Sql, tmp_path: Path) -> None:
    path = tmp_path / "notifications.jsonl"
    load(written(tmp_path / "u.jsonl", [unit("9920004")]), "units")
    later, end = AT.replace("09:", "10:"), AT.replace("09:", "11:")
    for members in ({}, {"ultima_atualizacao": later}, {"encerrada_em": end}):
        assert counts(load(written(path, [notification("9920004", **members)]), "notifications")) == (1, 1, 0, 0)
    found = sql(
        "SELECT e.tipo, e.em, e.autor_nome FROM health_units.notification_events AS e"
        " JOIN health_units.notifications AS n ON n.id = notification_id WHERE n.cnes = '9920004' ORDER BY em"
    )
    assert [tuple(row) for row in found] == [
        ("abertura", datetime.fromisoformat(AT), "Importação"),
        ("confirmacao", datetime.fromisoformat(later), "Importação"),
        ("encerramento", datetime.fromisoformat(end), "Importação"),
    ]


def test_each_bad_line_is_named_and_stops_no_other(load: Load, tmp_path: Path, report: Path) -> None:
    load(written(tmp_path / "u.jsonl", [unit("9920005")]), "units")
    lines = [
        unit("123"),
        unit("9920006", tipo="clínica"),
        unit("9920006", semana={"1": [{"inicio": "08:00", "fim": "25:00"}]}),
        unit("9920006", semana={"8": []}),
        unit("9920006", latitude=91),
        b"{",
        unit("9920006"),
    ]
    assert counts(load(written(tmp_path / "bad.jsonl", lines), "units", report=report)) == (7, 1, 0, 6)
    found = refusals(report)
    assert set(found) == set(range(1, 7))
    assert "`cnes`" in found[1]
    assert "`tipo`" in found[2]
    assert "`semana.1.0.fim`" in found[3]
    lines = [
        notification("9920007"),
        notification("9920005", "2026-03-02T09:00:00"),
        notification("9920005", motivo="falar com 900.000.001-75"),
        notification("9920005", causa="engano"),
        notification("9920005", encerrada_em="2026-03-01T09:00:00-03:00"),
        notification("9920005", risco="Azul"),
        notification("9920005"),
        notification("9920005", "2026-03-01T09:00:00-03:00"),
        notification("9920005", "2026-03-03T09:00:00-03:00"),
        notification("9920005", "2026-03-03T09:00:00-03:00", encerrada_em="2026-03-04T09:00:00-03:00"),
        notification("9920005", "2026-02-03T09:00:00-03:00", encerrada_em="2026-02-04T09:00:00-03:00"),
    ]
    assert counts(load(written(tmp_path / "n.jsonl", lines), "notifications", report=report)) == (11, 2, 0, 9)
    found = refusals(report)
    assert set(found) == set(range(1, 11)) - {7}
    assert "`cnes`" in found[1]
    assert "900" not in found[3]
    assert "`encerrada_em`" in found[8]


def test_nothing_is_imported_that_is_still_to_come(load: Load, sql: Sql, tmp_path: Path, report: Path) -> None:
    load(written(tmp_path / "u.jsonl", [unit("9920011")]), "units")
    tomorrow = (datetime.now(UTC) + timedelta(days=1)).isoformat()
    lines = [
        notification("9920011", tomorrow),
        notification("9920011", encerrada_em=tomorrow),
        notification("9920011", ultima_atualizacao=tomorrow),
    ]
    assert counts(load(written(tmp_path / "n.jsonl", lines), "notifications", report=report)) == (3, 0, 0, 3)
    assert refusals(report) == {
        number: f"O campo `{name}` está no futuro."
        for number, name in enumerate(("aberta_em", "encerrada_em", "ultima_atualizacao"), start=1)
    }
    assert sql("SELECT FROM health_units.notifications WHERE cnes = '9920011'") == []


def test_a_killed_import_goes_on_where_it_was_committed(load: Load, sql: Sql, tmp_path: Path) -> None:
    class Killed(Exception):
        """An exception that acts like kill -9: no further import code runs."""

    def kill(_: int, done: Committed) -> None:
        if done.lines == 200:
            raise Killed

    path = written(tmp_path / "units.jsonl", [unit(f"993{number:04}") for number in range(250)])
    with pytest.raises(Killed):
        load(path, "units", kill)
    outcome = load(path, "units")
    assert (outcome.resumed_after, counts(outcome)) == (200, (250, 250, 0, 0))
    assert sql("SELECT count(*) FROM health_units.units WHERE cnes LIKE '993%'")[0][0] == 250


def test_the_command_does_nothing_after_each_batch_that_grows_with_what_is_there(
    database_url: str, issuer: Issuer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in (("DATABASE_URL", database_url), ("AUTH_ISSUER", issuer.address), ("DATA_DIR", str(tmp_path))):
        monkeypatch.setenv(f"BALCAO_{name}", value)
    frozen = gc.get_freeze_count()
    with recorded() as sent:
        file = written(tmp_path / "u.jsonl", [unit("9920012")])
        run_import("health_units", file, "units", None, dry_run=False, allow_refused=False, as_json=True)
    assert gc.get_freeze_count() > frozen, "each batch makes garbage collection traverse all loaded objects"
    assert any("INSERT INTO health_units.units" in text for text in sent.texts)
    assert not any("FROM health_units.units AS unit" in text for text in [*sent.texts, *sent.of_copies])


@pytest.mark.long
def test_the_simulation_opens_changes_and_closes(terminal: Terminal, act: Any, sql: Sql) -> None:
    from balcao_sandbox.demo import health_units as demo

    act(lambda call: demo.load_demo_health_units(call.platform))
    said = terminal.run("health-units", "simulate", "--every", "0.1", "--count", "8")
    assert len(said.stdout.splitlines()) == 8
    imported = terminal.json(
        "health-units", "import", str(SAMPLES / "units.jsonl"), "--kind", "units", "--json", "--dry-run"
    )
    assert (imported["lines"], imported["refused"]) == (3, 0)


def test_a_batch_of_units_costs_no_statement_a_row_and_each_change_one_entry(
    load: Load, sql: Sql, tmp_path: Path
) -> None:
    path, codes = tmp_path / "units.jsonl", [f"994{number:04}" for number in range(150)]
    load(written(path, [unit(cnes, semana=WEEK) for cnes in codes[:50]]), "units")
    last = sql("SELECT last FROM health_units.feed_counter")[0]["last"]
    lines = [
        unit(codes[9], nome="Antes"),
        *(unit(cnes, semana=WEEK) for cnes in reversed(codes)),
        unit(codes[7], nome="Outro"),
        unit(codes[8], semana=WEEK, abre_feriado=True),
    ]
    with recorded() as sent:
        assert counts(load(written(path, lines), "units")) == (153, 102, 51, 0)
    assert len([text for text in sent.texts if "health_units." in text]) == 3
    found = sql("SELECT sequencia, cnes FROM health_units.change_feed WHERE sequencia > $1 ORDER BY 1", last)
    told = [*reversed(codes[50:]), codes[8], codes[7]]
    assert [tuple(row) for row in found] == list(enumerate(told, start=last + 1))
    assert sql("SELECT last FROM health_units.feed_counter")[0]["last"] == last + len(told)
    names = sql("SELECT nome FROM health_units.units WHERE cnes = ANY ($1) ORDER BY cnes", codes[7:10])
    assert [row["nome"] for row in names] == ["Outro", "Unidade", "Unidade"]
