"""The import of base records and tickets: its counts, and no needless rewrites (rules: registry 3.1)."""

import random
import string
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from balcao.core.errors import Conflict, Invalid
from balcao.core.imports import store
from balcao.core.imports.declaration import BATCH, Committed
from balcao.core.imports.source import LONGEST_LINE
from balcao.settings import Settings
from balcao_sandbox.demo.registry import invented
from tests.registry.import_runs import Load, counts, importing, refusals, written
from tests.support.demo_people import ANA, BRUNO, CARLA

RECORD = "SELECT record, wallet, source, loaded_at, xmin::text, xmax::text FROM registry.base_record ORDER BY cpf"
Sql = Callable[..., list[Any]]


@pytest.fixture(scope="module")
def load(settings: Settings, database_url: str) -> Iterator[Load]:
    with importing(settings, database_url) as running:
        yield running


@pytest.fixture(autouse=True)
def _empty(sql: Sql) -> None:
    sql("TRUNCATE registry.base_record, registry.ticket, platform.import")


@pytest.fixture
def report(tmp_path: Path) -> Path:
    return tmp_path / "refused.jsonl"


@pytest.mark.parametrize("name", ["citizens.jsonl", "citizens.jsonl.gz"])
def test_the_same_file_again_changes_nothing_and_touches_no_row(
    load: Load, tmp_path: Path, sql: Sql, name: str
) -> None:
    file = written(tmp_path / name, invented.make_citizens(2_500))
    assert counts(load(file)) == (2_500, 2_500, 0, 0)
    before = sql(RECORD)
    assert counts(load(file)) == (2_500, 0, 2_500, 0)
    assert sql(RECORD) == before
    tickets = written(tmp_path / f"tickets-{name}", invented.make_tickets(70))
    assert counts(load(tickets, "tickets")) == (50, 50, 0, 0)
    assert counts(load(tickets, "tickets")) == (50, 0, 50, 0)


def test_only_what_differs_is_written_again(load: Load, tmp_path: Path, sql: Sql) -> None:
    people = list(invented.make_citizens(20))
    load(written(tmp_path / "a", people))
    people[3].nome = "Outro Nome"
    people[4].saude = None
    people[5].source = "other"
    before = sql("SELECT cpf, loaded_at FROM registry.base_record")
    assert counts(load(written(tmp_path / "b", people))) == (20, 3, 17, 0)
    after = sql("SELECT cpf, loaded_at FROM registry.base_record")
    assert {row["cpf"] for row in set(after) - set(before)} == {person.cpf for person in people[3:6]}


def test_of_two_lines_about_one_person_the_last_counts(load: Load, tmp_path: Path, sql: Sql) -> None:
    file = written(tmp_path / "a", [{"cpf": ANA, "nome": name} for name in ("Um", "Dois")])
    assert counts(load(file)) == (2, 1, 1, 0)
    assert sql("SELECT record->>'nome' AS nome FROM registry.base_record")[0]["nome"] == "Dois"


def test_a_dry_run_counts_and_reports_and_leaves_the_database_as_it_was(
    load: Load, tmp_path: Path, sql: Sql, report: Path
) -> None:
    load(written(tmp_path / "a", invented.make_citizens(5)))
    before = sql(RECORD), sql("SELECT * FROM platform.import"), sql("SELECT count(*) FROM platform.audit_event")
    file = written(tmp_path / "b", [b"{", *invented.make_citizens(8)])
    assert counts(load(file, dry_run=True, report=report)) == (9, 3, 5, 1)
    after = sql(RECORD), sql("SELECT * FROM platform.import"), sql("SELECT count(*) FROM platform.audit_event")
    assert after == before
    assert set(refusals(report)) == {1}


BAD: list[tuple[bytes, str]] = [
    (b"{", "JSON"),
    (b"[]", "objeto"),
    (b'"x"', "objeto"),
    (b"\xff\xfe", "JSON"),
    (b'{"cpf":"90000000175","nome":"\xff"}', "JSON"),
    (b"{}", "cpf"),
    (b'{"cpf":null}', "cpf"),
    (b'{"cpf":"90000000176"}', "cpf"),
    (b'{"cpf":"900.000.001-75"}', "cpf"),
    (b'{"cpf":"11111111111"}', "cpf"),
    (b'{"cpf":"90000000175","nome":5}', "nome"),
    (b'{"cpf":"90000000175","nascimento":{"data":"ontem"}}', "`data`"),
    (b'{"cpf":"90000000175","nascimento":{"data":"2026-02-30"}}', "`data`"),
    (b'{"cpf":"90000000175","nascimento":{"data":"20260213"}}', "`data`"),
    (b'{"cpf":"90000000175","email":{"principal":{"valor":7}}}', "email.principal.valor"),
    (b'{"cpf":"90000000175","endereco":{"alternativo":{}}}', "endereco.alternativo"),
    (b'{"cpf":"90000000175","saude":{"equipe_saude_familia":{"medicos":[{"nome":1}]}}}', "saude.equipe_saude_familia"),
    (b'{"cpf":"90000000175","assistencia_social":{"cadunico":{"data_cadastro":"x"}}}', "data_cadastro"),
    (b'{"cpf":"90000000175","nome":"a\\u0000b"}', "nulo"),
    (b'{"cpf":"90000000175","nome":"\\ud800"}', "JSON"),
    (b'{"cpf":"90000000175","x":' + b"[" * 5_000 + b"]" * 5_000 + b"}", "JSON"),
    (b'{"cpf":"90000000175","nome":"' + b"a" * LONGEST_LINE * 3 + b'"}', str(LONGEST_LINE)),
]


def test_bad_lines_are_reported_by_number_and_reason_and_the_others_are_imported(
    load: Load, tmp_path: Path, sql: Sql, report: Path
) -> None:
    good = [{"cpf": BRUNO}, b"", b"   ", {"cpf": CARLA, "unknown": 1, "obito": {"ano": 2020.0}}]
    file = written(tmp_path / "a", [good[0], *(line for line, _ in BAD), *good[1:]])
    assert counts(load(file, report=report)) == (len(BAD) + 4, 2, 0, len(BAD))
    told = refusals(report)
    assert set(told) == set(range(2, len(BAD) + 2))
    assert [(number, word) for number, (_, word) in enumerate(BAD, 2) if word not in told[number]] == []
    assert [row["cpf"] for row in sql("SELECT cpf FROM registry.base_record ORDER BY cpf")] == [BRUNO, CARLA]
    assert "9000" not in report.read_text()
    assert "ontem" not in report.read_text()


def test_a_row_that_only_the_store_refuses_does_not_take_its_batch_along(
    load: Load, tmp_path: Path, report: Path
) -> None:
    """Python accepts UTC offsets below 24 hours, but PostgreSQL accepts only offsets below 16 hours."""
    lines = [{"cpf": ANA, "id": str(n), "status": "Aberto", "data_inicio": "2026-01-02"} for n in range(40)]
    lines[17]["data_inicio"] = "2026-01-02T10:00:00+23:59"
    file = written(tmp_path / "a", lines)
    assert counts(load(file, "tickets", report=report)) == (40, 39, 0, 1)
    assert set(refusals(report)) == {18}


def test_a_text_too_long_for_an_index_costs_only_its_own_row(load: Load, tmp_path: Path, report: Path) -> None:
    people: list[dict[str, Any]] = [{"_id": cpf, "source": "t", "cpf": cpf, "nome": "Ana"} for cpf in (ANA, BRUNO)]
    people[0]["nome"] = "".join(random.Random(1).choices(string.ascii_letters, k=9_000))  # compresses badly
    assert counts(load(written(tmp_path / "a", people), report=report)) == (2, 1, 0, 1)
    assert set(refusals(report)) == {1}


def test_a_line_without_line_break_and_a_byte_order_mark_are_no_faults(load: Load, tmp_path: Path) -> None:
    file = tmp_path / "a"
    file.write_bytes(b'\xef\xbb\xbf{"cpf":"90000000175"}\r\n{"cpf":"90000000256"}')
    assert counts(load(file)) == (2, 2, 0, 0)


def test_a_cut_compressed_file_is_refused(load: Load, tmp_path: Path) -> None:
    file = written(tmp_path / "a.gz", invented.make_citizens(10))
    file.write_bytes(file.read_bytes()[:-20])
    with pytest.raises(Invalid, match="danificado") as refused:
        load(file)
    assert refused.value.code == "file-broken"


def test_a_report_that_cannot_be_written_lets_no_line_in(load: Load, tmp_path: Path, sql: Sql) -> None:
    file = written(tmp_path / "a", invented.make_citizens(1))
    with pytest.raises(Invalid, match="relatório") as refused:
        load(file, report=tmp_path / "nowhere" / "refused.jsonl")
    assert refused.value.code == "report-unwritable"
    assert sql("SELECT FROM registry.base_record") == []


@pytest.mark.long
def test_two_imports_of_a_kind_never_run_side_by_side(
    load: Load, tmp_path: Path, settings: Settings, database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The second import starts at the moment when the first one reports its progress."""
    monkeypatch.setattr(store, "_LOCK_TIMEOUT", "10ms")
    file = written(tmp_path / "a", invented.make_citizens(1))
    met = []

    def meanwhile(*_: object) -> None:
        with ThreadPoolExecutor(1) as other:
            met.append(other.submit(_beside, settings, database_url, file, "tickets").exception())
            met.append(other.submit(_beside, settings, database_url, file, "citizens").exception())

    assert counts(load(file, progress=meanwhile)) == (1, 1, 0, 0)
    unhindered, refused = met
    assert unhindered is None
    assert isinstance(refused, Conflict)
    assert refused.code == "import-running"
    assert counts(load(file)) == (1, 0, 1, 0)


def _beside(settings: Settings, database_url: str, file: Path, kind: str) -> None:
    with importing(settings, database_url) as load:
        load(file, kind)


class Killed(BaseException):
    """An exception that stops the import at the point where a kill would end the process."""


def _cut_short(load: Load, file: Path, report: Path | None = None) -> None:
    """Abort the import right after its second batch is committed."""

    def progress(_: int, done: Committed) -> None:
        if done.lines == 2 * BATCH:
            raise Killed

    with pytest.raises(Killed):
        load(file, progress=progress, report=report)


@pytest.mark.long
@pytest.mark.parametrize("name", ["citizens.jsonl", "citizens.jsonl.gz"])
def test_an_import_goes_on_after_its_last_committed_batch(
    load: Load, tmp_path: Path, sql: Sql, report: Path, name: str
) -> None:
    lines: list[Any] = list(invented.make_citizens(3_500))
    lines[7], lines[2_100] = b"bad", b"worse"
    file = written(tmp_path / name, lines)
    _cut_short(load, file, report)
    with report.open("ab") as torn:
        torn.write(b'{"line":2101,"reason":"of a batch that was not committed"}\n{"line":21')
    outcome = load(file, report=report)
    assert outcome.resumed_after == 2_000
    assert counts(outcome) == (3_500, 3_498, 0, 2)
    assert set(refusals(report)) == {8, 2_101}
    assert sql("SELECT count(*) FROM registry.base_record")[0]["count"] == 3_498
    assert (load(file)).resumed_after == 0


def test_another_file_in_between_ends_what_the_first_has_begun(load: Load, tmp_path: Path) -> None:
    first = written(tmp_path / "a", invented.make_citizens(2_500))
    _cut_short(load, first)
    load(written(tmp_path / "b", invented.make_citizens(1)))
    assert (load(first)).resumed_after == 0


def test_each_beginning_of_an_import_leaves_one_audit_event(load: Load, tmp_path: Path, sql: Sql) -> None:
    sql("DELETE FROM platform.audit_event WHERE operation = 'registry.import'")
    load(written(tmp_path / "a", invented.make_citizens(3)))
    found = sql("SELECT actor_kind, fields FROM platform.audit_event WHERE operation = 'registry.import'")
    assert [tuple(event) for event in found] == [("operator", ["load:citizens"])]
