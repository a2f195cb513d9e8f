"""Companies, jobs and catalogues are imported as the command imports them (rules: employability 3)."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import msgspec
import pytest
from stdnum.br import cnpj

from balcao.core.errors import Invalid
from balcao.core.imports.declaration import BATCH, Committed
from balcao.employability import SERVICE
from balcao.settings import Settings
from tests.registry.import_runs import Load, counts, importing, refusals, written
from tests.support.fixture_types import Sql
from tests.support.sent_statements import recorded

SAMPLES = Path(__file__).parents[2] / "docs/operate/samples/employability"
FILES = {
    "reference-values.csv": 3,
    "behaviours.csv": 2,
    "skills.csv": 3,
    "employers.csv": 2,
    "employers.jsonl": 2,
    "jobs.jsonl": 2,
}
TABLES = "reference_value behaviour skill work_area skill_area company job job_step job_question job_event".split()


@pytest.fixture(scope="module")
def load(settings: Settings, database_url: str) -> Iterator[Load]:
    with importing(settings, database_url, SERVICE) as running:
        yield running


@pytest.fixture
def report(tmp_path: Path) -> Path:
    return tmp_path / "refused.jsonl"


def read_all(sql: Sql) -> list[list[Any]]:
    """Return every row, with the id of the transaction that wrote it."""
    return [sql(f"SELECT *, xmin::text FROM employability.{table} ORDER BY 1, 2") for table in TABLES]


def read_values(sql: Sql) -> list[tuple[Any, ...]]:
    """Return all reference values, sorted by table, position and text."""
    found = sql("SELECT id, kind, posicao, descricao FROM employability.reference_value ORDER BY 2, 3, 4")
    return [tuple(row) for row in found]


def test_the_samples_are_imported_and_again_touch_no_row(load: Load, sql: Sql, report: Path) -> None:
    for name, lines in FILES.items():
        _, changed, unchanged, refused = counts(load(SAMPLES / name, name.partition(".")[0], report=report))
        assert (changed + unchanged, refused) == (lines, 0), name
    before = read_all(sql)
    for name, lines in FILES.items():
        if name != "employers.csv":  # both files contain the same two companies
            assert counts(load(SAMPLES / name, name.partition(".")[0]))[1:] == (0, lines, 0)
    assert read_all(sql) == before


def test_a_dry_run_counts_and_keeps_nothing(load: Load, tmp_path: Path, sql: Sql) -> None:
    before = read_all(sql), sql("SELECT * FROM platform.import")
    file = written(tmp_path / "a", [{"nome": "Nova"}, {"nome": "Empatia"}, {"nome": ""}])
    assert counts(load(file, "behaviours", dry_run=True)) == (3, 1, 1, 1)
    file = written(tmp_path / "b", [{"nome": "Nova", "areas_atuacao": ["Outra"]}])
    assert counts(load(file, "skills", dry_run=True)) == (1, 1, 0, 0)
    file = written(tmp_path / "c", [{"tabela": "zonas", "descricao": "Ilhas"}])
    assert counts(load(file, "reference-values", dry_run=True)) == (1, 1, 0, 0)
    assert (read_all(sql), sql("SELECT * FROM platform.import")) == before


def invent_company(number: int) -> str:
    stem = f"{number:012}"
    return stem + cnpj.calc_check_digits(stem)


class Killed(BaseException):
    """An exception that stops the import where a kill would stop the process."""


@pytest.mark.parametrize("name", ["employers.csv", "employers.csv.gz", "employers.jsonl"])
def test_a_killed_import_goes_on_after_its_last_committed_batch(
    load: Load, tmp_path: Path, sql: Sql, report: Path, name: str
) -> None:
    """In CSV files, each record takes two lines. This checks that the import resumes at the right line."""
    sql("TRUNCATE employability.company CASCADE")
    numbers = range(1, BATCH + 500)
    lines: list[Any] = [{"cnpj": invent_company(n), "razao_social": f"Empresa {n}"} for n in numbers]
    if "csv" in name:
        lines = [b'"%s";"Empresa %d";"Linha\nOutra ""linha"""' % (invent_company(n).encode(), n) for n in numbers]
        lines.insert(0, b"cnpj;razao_social;descricao")
    lines[BATCH + 100] = b"{"
    file = written(tmp_path / name, lines)

    def end_after_first(_: int, done: Committed) -> None:
        if done.changed == BATCH:
            raise Killed

    with pytest.raises(Killed):
        load(file, "employers", progress=end_after_first, report=report)
    assert sql("SELECT count(*) FROM employability.company")[0]["count"] == BATCH
    outcome = load(file, "employers", report=report)
    assert outcome.resumed_after == (2 * BATCH + 1 if "csv" in name else BATCH)
    assert counts(outcome)[1:] == (len(numbers) - 1, 0, 1)
    refused_line = 2 * (BATCH + 100) if "csv" in name else BATCH + 101
    assert set(refusals(report)) == {refused_line}
    assert sql("SELECT count(*) FROM employability.company")[0]["count"] == len(numbers) - 1


BAD_CELLS = {
    b"zonas,,": "descricao",
    b"zonas,x,Ilhas": "id",
    b"bairros,,Ilhas": "tabela",
    b"zonas,Ilhas": "colunas",
    b'zonas,"x"y,Ilhas': "CSV",
    b"zonas,,\xff": "CSV",
    b"escolaridades,,Outra,x": "colunas",
}


def test_bad_lines_are_reported_and_the_others_are_imported(load: Load, tmp_path: Path, sql: Sql, report: Path) -> None:
    file = written(tmp_path / "a.csv", [b"\xef\xbb\xbftabela,id,descricao", *BAD_CELLS, b"", b"zonas,,Serra"])
    assert counts(load(file, "reference-values", report=report)) == (len(BAD_CELLS) + 3, 1, 0, len(BAD_CELLS))
    told = refusals(report)
    assert [word for line, word in enumerate(BAD_CELLS.values(), 2) if word not in told[line]] == []
    assert sql("SELECT posicao FROM employability.reference_value WHERE descricao = 'Serra'")[0]["posicao"] == 5


@pytest.mark.parametrize("header", [b"", b"cnpj,,x", b"cnpj,cnpj", b"raz\x81o", "cnpj".encode("utf-16"), b'"cnpj"x'])
def test_a_table_without_names_is_refused(load: Load, tmp_path: Path, header: bytes) -> None:
    with pytest.raises(Invalid, match=r"CSV|tabela|UTF-16"):
        load(written(tmp_path / "a.csv", [header]), "employers")


def test_jobs_never_come_as_a_table(load: Load, tmp_path: Path) -> None:
    with pytest.raises(Invalid, match="JSON Lines") as refused:
        load(written(tmp_path / "a.csv", [b"id,titulo"]), "jobs")
    assert refused.value.code == "import-not-table"


def test_a_job_that_refers_to_nothing_is_refused_alone(load: Load, tmp_path: Path, sql: Sql, report: Path) -> None:
    load(SAMPLES / "employers.jsonl", "employers")
    sample = msgspec.json.decode((SAMPLES / "jobs.jsonl").read_bytes().splitlines()[0])
    lines = [sample | {"id": str(uuid4()), "titulo": f"Vaga {number}"} for number in range(6)]
    assert counts(load(written(tmp_path / "a", [lines[0]]), "jobs")) == (1, 1, 0, 0)
    lines[0] |= {"titulo": "Outra", "id_contratante": "11111111000191"}
    lines[3] |= {"id_regime_contratacao": str(uuid4())}
    assert counts(load(written(tmp_path / "b", lines), "jobs", report=report)) == (6, 4, 0, 2)
    reasons = refusals(report)
    assert list(reasons) == [1, 4]
    assert "foi excluído" in reasons[1]
    assert "aponta para algo que não existe" in reasons[4]
    query = "SELECT titulo FROM employability.job WHERE id = ANY ($1::uuid[]) ORDER BY titulo"
    stored = [row["titulo"] for row in sql(query, [line["id"] for line in lines])]
    assert stored == ["Vaga 0", "Vaga 1", "Vaga 2", "Vaga 4", "Vaga 5"]


def test_a_reference_value_takes_the_id_of_the_file_until_something_uses_it(
    load: Load, tmp_path: Path, sql: Sql, report: Path
) -> None:
    query = "SELECT id::text, descricao, posicao FROM employability.reference_value WHERE kind = $1 ORDER BY posicao"
    before = [tuple(row) for row in sql(query, "tipos-pcd")]
    place = [descricao for _, descricao, _ in before].index("Visual")
    line = {"tabela": "tipos-pcd", "id": str(uuid4()), "descricao": "VISUAL"}
    assert counts(load(written(tmp_path / "a", [line]), "reference-values")) == (1, 1, 0, 0)
    before[place] = (line["id"], "VISUAL", before[place][2])
    assert [tuple(row) for row in sql(query, "tipos-pcd")] == before

    load(SAMPLES / "employers.jsonl", "employers")
    load(SAMPLES / "jobs.jsonl", "jobs")
    used = [tuple(row) for row in sql(query, "regimes-contratacao")]
    line = {"tabela": "regimes-contratacao", "id": str(uuid4()), "descricao": "CLT"}
    assert counts(load(written(tmp_path / "b", [line]), "reference-values", report=report)) == (1, 0, 0, 1)
    assert [tuple(row) for row in sql(query, "regimes-contratacao")] == used


def test_values_of_one_batch_come_out_as_one_after_the_other(
    load: Load, tmp_path: Path, sql: Sql, report: Path
) -> None:
    """One file with all lines gives the same result as a file for each line."""
    one, two, three = (str(UUID(int=number)) for number in (1, 2, 3))

    def value(descricao: str, tabela: str = "zonas", **members: Any) -> dict[str, Any]:
        return {"tabela": tabela, "descricao": descricao} | members

    lines = [
        value("Vale", id=one),
        value("vale"),  # equal when folded, so it replaces the line above
        value("Morro", id=two),
        value("Ilhas", id=two),  # this id exists, so this line renames the value
        value("Morro", id=three),  # the line above has freed this text
        value("Ilhas", id=one),  # refused: another value has this text
        value("Fundamental II", "escolaridades", ordem=4),
        value("Curso livre", "escolaridades"),  # added at the end, without moving the other values
        value("Pós-doutorado", "escolaridades", ordem=200),
        value("Livre-docência", "escolaridades"),
        value("Serra do Mar"),
        value("Baixada"),
        value("Vale", "idiomas", id=two),  # refused: this id belongs to another table
    ]
    shipped = read_values(sql)
    outcomes = [load(written(tmp_path / f"{n}", [line]), "reference-values") for n, line in enumerate(lines)]
    expected = read_values(sql)
    alone = [counts(outcome)[3] for outcome in outcomes]
    sql("DELETE FROM employability.reference_value WHERE id <> ALL ($1::uuid[])", [id_ for id_, *_ in shipped])
    assert read_values(sql) == shipped

    outcome = load(written(tmp_path / "all", lines), "reference-values", report=report)
    assert set(refusals(report)) == {number for number, refused in enumerate(alone, 1) if refused} == {6, 13}
    assert counts(outcome)[1] == sum(counts(alone)[1] for alone in outcomes)
    # Values without an id get random ids, so compare them without the id.
    assert [row[1:] for row in read_values(sql)] == [row[1:] for row in expected]
    assert {UUID(one), UUID(two), UUID(three)} <= {id_ for id_, *_ in read_values(sql)}


def test_a_batch_of_reference_values_costs_no_statement_a_row(load: Load, tmp_path: Path, sql: Sql) -> None:
    lines = [{"tabela": "idiomas", "descricao": f"Língua {number}"} for number in range(300)]
    with recorded() as sent:
        assert counts(load(written(tmp_path / "a", lines), "reference-values")) == (300, 300, 0, 0)
    assert len([text for text in sent.texts if "reference_value" in text]) == 2
    found = sql("SELECT descricao FROM employability.reference_value WHERE descricao LIKE 'Língua %' ORDER BY posicao")
    assert [row["descricao"] for row in found] == [line["descricao"] for line in lines]
