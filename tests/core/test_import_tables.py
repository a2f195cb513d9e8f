"""A damaged row in an imported table affects no other row, and the counts add up to the number of rows."""

import io
import zipfile
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from openpyxl import Workbook

from balcao.core.errors import Invalid
from balcao.core.imports.delimited import MOST_LINES
from balcao.core.imports.opening import open_source
from balcao.core.imports.rows import Decoder
from balcao.core.imports.source import LONGEST_LINE
from balcao.core.values.cpf import Cpf
from balcao.registry.person.citizens.base import CitizenRow
from balcao.settings import Settings
from tests.registry.import_runs import Load, counts, importing, refusals

Sql = Callable[..., list[Any]]
HEADER = "cpf;nome;nascimento.municipio"


@pytest.fixture(scope="module")
def load(settings: Settings, database_url: str) -> Iterator[Load]:
    with importing(settings, database_url) as running:
        yield running


@pytest.fixture(autouse=True)
def _empty(sql: Sql) -> None:
    sql("TRUNCATE registry.base_record, platform.import")


def cpf(number: int) -> str:
    return Cpf.with_stem(f"8{number:08}").digits


def good(number: int) -> bytes:
    return f"{cpf(number)};Pessoa {number};Porto Aurora\r\n".encode()


class Damage(NamedTuple):
    """A damaged row, and the expected counts of its import."""

    text: bytes
    imported: int = 0
    refused: int = 0
    skipped: int = 0


DAMAGED = {
    "a quote opens in a cell": Damage(b'90000000175;"Ana;Porto\n', refused=1),
    "a quote opens the row": Damage(b'"90000000175;Ana;Porto\n', refused=1),
    "text follows a closing quote": Damage(b'90000000175;"Ana" Maria;Porto\n', refused=1),
    "a quote in the middle of a cell": Damage(b'90000000175;Ana 5" Maria;Porto\n', imported=1),
    "a cell is missing": Damage(b"90000000175;Ana\n", refused=1),
    "a cell too many": Damage(b"90000000175;Ana;Porto;x\n", refused=1),
    "blank cells too many": Damage(b"90000000175;Ana;Porto;;;\n", imported=1),
    "separators only": Damage(b";;\n", skipped=1),
    "separators and blanks only": Damage(b" ; ;\t\n", skipped=1),
    "an empty line": Damage(b"\n", skipped=1),
    "a byte of another encoding": Damage(b"90000000175;Jo\xe3o;S\xe3o\n", refused=1),
    "a NUL": Damage(b"90000000175;A\0na;Porto\n", refused=1),
    "a wrong CPF": Damage(b"90000000176;Ana;Porto\n", refused=1),
    "a cell with line breaks": Damage(b'90000000175;"Ana\nMaria\r\nda ""Luz""";Porto\n', imported=1),
    "a wrong CPF and line breaks": Damage(b'90000000176;"Ana\nMaria";Porto\n', refused=1),
    "two quotes apart": Damage(b'90000000175;"Ana;Porto\n' + good(900) + b'90000000256;Bia";Porto\n', 2, 1),
    "a row beyond the limit": Damage(b"90000000175;" + b"a" * (3 * LONGEST_LINE) + b";Porto\n", refused=1),
    "a row that ends the limit with a return": Damage(b"90000000175;" + b"a" * LONGEST_LINE + b";P\r\n", refused=1),
    "a formula that failed": Damage(b"90000000175;#N/D;Porto\n", refused=1),
    "a row that a crash cut short": Damage(b'90000000175;"An', refused=1),
    "a row of quotes": Damage(b'"""""""\n', refused=1),
    "a quote that opens at the end": Damage(b'90000000175;Ana;"\n', refused=1),
}


@pytest.mark.parametrize("damage", DAMAGED.values(), ids=DAMAGED)
def test_a_damaged_row_costs_one_row_and_the_counts_add_up(load: Load, tmp_path: Path, damage: Damage) -> None:
    before, after = [good(number) for number in range(40)], [good(number) for number in range(100, 140)]
    is_last = not damage.text.endswith(b"\n")
    file = tmp_path / "a.csv"
    accented = f"{cpf(500)};João;São\n".encode()  # the rest of the file is UTF-8
    file.write_bytes(
        HEADER.encode() + b"\n" + accented + b"".join(before) + damage.text + (b"" if is_last else b"".join(after))
    )
    report = tmp_path / "refused.jsonl"
    done = load(file, report=report).done
    expected = 41 + (0 if is_last else 40) + damage.imported
    assert (done.changed, done.refused, done.skipped) == (expected, damage.refused, damage.skipped)
    assert done.rows == expected + damage.refused + damage.skipped
    assert set(refusals(report)) == ({43} if damage.refused else set())


def test_twenty_thousand_rows_after_a_stray_quote_are_all_read(tmp_path: Path) -> None:
    file = tmp_path / "a.csv"
    file.write_bytes(f'{HEADER}\n{cpf(1)};"Ana;Porto\n'.encode() + b"".join(map(good, range(2, 20_002))))
    rows, refused, skipped = read(file)
    assert (len(rows), refused, skipped) == (20_000, [2], 0)


def read(file: Path) -> tuple[list[Any], list[int], int]:
    """Read a table as an import does. Return the rows, the rejected lines and the number of skipped rows."""
    with open_source(file) as source:
        assert source.table is not None, "no table"
        source.table.expect(CitizenRow)
        decoder = Decoder(CitizenRow, table=source.table)
        records = []
        while taken := source.take(7):
            records += taken
        rows, refused = decoder.decode(record for record in records if not record.is_blank)
        skipped = sum(record.is_blank for record in records)
        assert len(records) == len(rows) + len(refused) + skipped
        return [row for _, row in rows], [one.line for one in refused], skipped


DELIMITERS, ENDS = st.sampled_from(",;\t"), st.sampled_from(["\n", "\r\n", "\r"])
KINDS = ["good", "good", "good", "quoted", "breaks", "blank", "separators", "opened", "short", "long", "torn"]


@given(kinds=st.lists(st.sampled_from(KINDS), max_size=30), delimiter=DELIMITERS, end=ENDS, marked=st.booleans())
def test_every_row_of_a_damaged_file_is_imported_refused_or_skipped(
    tmp_path_factory: pytest.TempPathFactory, kinds: list[str], delimiter: str, end: str, marked: bool
) -> None:
    lines, number, imported, refused, skipped = [delimiter.join(["cpf", "nome", "x", "", ""])], 1, [], [], 0
    for index, kind in enumerate(kinds):
        number += 1
        first, rest = cpf(index), delimiter * 2
        text = {
            "good": f"{first}{delimiter}Ana{delimiter}{rest}",
            "quoted": f'"{first}"{delimiter}"A{delimiter}""na"""{delimiter}"x"{rest}',
            "breaks": f'{first}{delimiter}"Ana{end}{end}Luz"{delimiter}{rest}',
            "blank": "",
            "separators": delimiter * 2 + rest,
            "opened": f'{first}{delimiter}"Ana{delimiter}{rest}',
            "short": f"{first}{delimiter}Ana",
            "long": f"{first}{delimiter}Ana{delimiter}{rest}{delimiter}x",
            "torn": f'{first}{delimiter}"Ana"x{delimiter}{rest}',
        }[kind]
        lines.append(text)
        if kind in ("good", "quoted", "breaks"):
            imported.append(first)
        elif kind in ("blank", "separators"):
            skipped += 1
        else:
            refused.append(number)
        number += text.count(end)
    file = tmp_path_factory.mktemp("damaged") / "a.csv"
    content = end.join(lines) + end
    if marked:
        content = f"sep={delimiter}{end}{content}"
        refused = [line + 1 for line in refused]
    file.write_bytes(content.encode("utf-8-sig" if marked else "utf-8"))
    rows, found, blank = read(file)
    assert [row.cpf for row in rows] == imported
    assert (found, blank) == (refused, skipped)


def test_a_cell_may_hold_as_many_line_breaks_as_a_row_may_have(tmp_path: Path) -> None:
    file = tmp_path / "a.csv"
    for breaks, is_row in ((MOST_LINES, True), (MOST_LINES + 1, False)):
        file.write_bytes(f'{HEADER}\n{cpf(1)};"Ana'.encode() + b"\n" * breaks + b'";Porto\n')
        assert bool(read(file)[0]) is is_row


def test_an_import_of_a_table_resumes_after_its_last_committed_batch(load: Load, tmp_path: Path) -> None:
    class Killed(BaseException):
        pass

    def kill(_: int, done: Any) -> None:
        if done.rows >= 60:
            raise Killed

    content = b"".join([b'90000000175;"Ana\nMaria";P\n', b";;\n", b'1;"x;y\n', *map(good, range(100))])
    for name in ("a.csv", "a.xlsx"):
        file = tmp_path / name
        if name == "a.csv":
            file.write_bytes(f"sep=;\n{HEADER}\n".encode() + content)
        else:
            rows: list[list[Any]] = [[cpf(number), f"Pessoa {number}", "P"] for number in range(100)]
            file.write_bytes(spreadsheet([HEADER.split(";"), ["90000000175", "Ana", "P"], [], ["1"], *rows]))
        with pytest.raises(Killed):
            load(file, batch=30, progress=kill)
        outcome = load(file, batch=30)
        assert outcome.resumed_after > 0
        done = outcome.done
        assert (done.changed + done.unchanged, done.refused, done.skipped, done.rows) == (101, 1, 1, 103)


def spreadsheet(rows: Sequence[Sequence[Any]], *, number_format: str = "General") -> bytes:
    book = Workbook()
    sheet = book.active
    assert sheet is not None
    for row in rows:
        sheet.append(row)
    for cells in sheet.iter_rows(min_row=2):
        for cell in cells:
            if cell.value is not None and isinstance(cell.value, int):
                cell.number_format = number_format
    content = io.BytesIO()
    book.save(content)
    return content.getvalue()


def repacked(content: bytes, changes: dict[str, Callable[[bytes], bytes]]) -> bytes:
    """Return a copy of the zip file in which some members are changed."""
    made = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as old, zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as new:
        for name in old.namelist():
            new.writestr(name, changes.get(name, bytes)(old.read(name)))
    return made.getvalue()


SHEET = "xl/worksheets/sheet1.xml"


def test_a_spreadsheet_is_imported_with_the_zeros_that_it_dropped(load: Load, tmp_path: Path, sql: Sql) -> None:
    low = Cpf.with_stem("012345678").digits
    assert low.startswith("0")
    rows: list[list[Any]] = [
        [],
        ["cpf", "nome", "nascimento.data", "obito.indicador", "endereco.principal.cep", "documentos.cns", None, None],
        [int(low), "Ana", datetime(1990, 7, 1), False, 1310100, 90000000175000, None, "nota"],
        [None, " ", None],
        [float(cpf(7)), "Zé", "1990-07-02", "sim", "01310-100", "1|2"],
        [cpf(8), "#N/A"],
        [True, "Rui"],
    ]
    file = tmp_path / "planilha"  # the first bytes identify the format
    file.write_bytes(spreadsheet(rows, number_format="00000000000"))
    report = tmp_path / "refused.jsonl"
    outcome = load(file, report=report)
    assert counts(outcome) == (7, 2, 0, 2)
    assert (outcome.done.rows, outcome.done.skipped) == (5, 1)
    told = refusals(report)
    assert "`nome`" in told[6]
    assert "`cpf`" in told[7]
    stored = sql("SELECT cpf, record, wallet FROM registry.base_record ORDER BY cpf")
    assert [row["cpf"] for row in stored] == [low, cpf(7)]
    record, wallet = (msgspec.json.decode(stored[0][part]) for part in ("record", "wallet"))
    assert record["nascimento"]["data"] == "1990-07-01"
    assert record["endereco"]["principal"]["cep"] == "01310100"
    assert wallet["documentos"]["cns"] == ["090000000175000"]


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"PK\x03\x04" + bytes(26) + b"mimetypeapplication/vnd.oasis.opendocument.spreadsheet", r"\.ods"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(512), r"\.xls"),
        (repacked(spreadsheet([["cpf"]]), {})[:200], "danificada"),
        (b"<html><table><tr><td>cpf</td></tr></table></html>", "HTML"),
    ],
)
@pytest.mark.parametrize("name", ["a.csv", "a.jsonl", "a.xlsx"])
def test_another_format_is_refused_in_one_sentence(tmp_path: Path, content: bytes, reason: str, name: str) -> None:
    refuse(tmp_path / name, content, reason)


def refuse(file: Path, content: bytes, reason: str) -> None:
    file.write_bytes(content)
    with pytest.raises(Invalid, match=reason) as refused:
        read(file)
    assert refused.value.code == "file-broken"
    assert refused.value.message.count(". ") == 0


def test_a_zip_of_other_files_is_refused(tmp_path: Path) -> None:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        archive.writestr("a.csv", "cpf\n")
    refuse(tmp_path / "a.csv.zip", content.getvalue(), "ZIP")


def test_a_spreadsheet_that_unpacks_to_more_than_it_may_is_refused(tmp_path: Path) -> None:
    bomb = repacked(spreadsheet([["cpf"]]), {"xl/theme/theme1.xml": lambda text: text + b" " * (65 * 1024 * 1024)})
    assert len(bomb) < 1024 * 1024
    refuse(tmp_path / "a.xlsx", bomb, "64 MiB")


ENTITIES = b'<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]>'


@pytest.mark.parametrize("part", [SHEET, "xl/workbook.xml", "xl/styles.xml", "[Content_Types].xml"])
def test_a_spreadsheet_that_declares_entities_is_refused(tmp_path: Path, part: str) -> None:
    def declare(text: bytes) -> bytes:
        return ENTITIES + text.removeprefix(b"<?xml version='1.0' encoding='UTF-8'?>").lstrip()

    refuse(tmp_path / "a.xlsx", repacked(spreadsheet([["cpf"]]), {part: declare}), "danificada")


@pytest.mark.parametrize(
    ("rows", "reason"),
    [
        (b'<row r="1000002"><c r="A1000002"><v>1</v></c></row>', "1000000 linhas"),
        (b'<row r="2000000000"/>', "1000000 linhas"),
        (b'<row r="9"/><row r="3"><c r="A3"><v>1</v></c></row>', "danificada"),
        (b'<row r="x"/>', "danificada"),
        (b'<row r="9"><c r="A9" t="s"><v>77</v></c></row>', "danificada"),
        (b'<row r="9"><c r="A9"><v>' + b"9" * 5000 + b"</v></c></row>", "danificada"),
    ],
)
def test_rows_that_the_library_would_leave_out_or_invent_are_refused(tmp_path: Path, rows: bytes, reason: str) -> None:
    def add(text: bytes) -> bytes:
        return text.replace(b"</sheetData>", rows + b"</sheetData>")

    refuse(tmp_path / "a.xlsx", repacked(spreadsheet([["cpf"], [cpf(1)]]), {SHEET: add}), reason)


def test_a_row_far_to_the_right_costs_no_more_than_the_table(tmp_path: Path) -> None:
    def widen(text: bytes) -> bytes:
        text = text.replace(b'<dimension ref="A1:A2" />', b'<dimension ref="A1:XFD1048576" />')
        return text.replace(b"</row></sheetData>", b'<c r="XFD2"><v>1</v></c></row></sheetData>')

    file = tmp_path / "a.xlsx"
    file.write_bytes(repacked(spreadsheet([["cpf"], [cpf(1)]]), {SHEET: widen}))
    rows, refused, skipped = read(file)
    assert ([row.cpf for row in rows], refused, skipped) == ([cpf(1)], [], 0)
