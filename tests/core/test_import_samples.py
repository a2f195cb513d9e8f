"""Every kind of import accepts its samples, and docs/operate/import.md describes it correctly."""

import gzip
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from balcao import app
from balcao.core.errors import Invalid
from balcao.core.imports.delimited import UTF_8, WINDOWS_1252, detect_encoding
from balcao.core.imports.opening import open_source
from balcao.core.imports.table import Table
from balcao.core.service import Service
from balcao.registry.person.citizens.base import CitizenRow
from balcao.registry.person.tickets.schemas import TicketRow
from balcao.search.services.imports import ServiceRow
from balcao.settings import Settings
from tests.registry.import_runs import Load, counts, importing, refusals

OPERATE = Path(__file__).parents[2] / "docs/operate"
SERVICES = {each.name: each for each in app.SERVICES if each.imports}
ROW = re.compile(
    r"^\| (?P<service>[a-z_]+) \| `(?P<kind>[a-z-]+)` \| (?P<samples>.*?) \| (?P<members>.*?) \| (?P<csv>yes|no) \|$",
    re.M,
)


class Listed:
    """A row of the table in docs/operate/import.md."""

    def __init__(self, found: re.Match[str]) -> None:
        self.service, self.kind = SERVICES[found["service"]], found["kind"]
        self.samples = [OPERATE / path for path in re.findall(r"\]\((samples/[^)]+)\)", found["samples"])]
        self.members = re.findall(r"`([\w.]+)`", found["members"])
        self.is_table = found["csv"] == "yes"

    def __str__(self) -> str:
        return f"{self.service.name}-{self.kind}"


LISTED = [Listed(found) for found in ROW.finditer((OPERATE / "import.md").read_text("utf-8"))]


@pytest.fixture(scope="module")
def loads(settings: Settings, database_url: str) -> Iterator[dict[Service, Load]]:
    with (
        importing(settings, database_url, SERVICES["registry"]) as registry,
        importing(settings, database_url, SERVICES["employability"]) as employability,
        importing(settings, database_url, SERVICES["search"]) as search,
        importing(settings, database_url, SERVICES["agents"]) as agents,
        importing(settings, database_url, SERVICES["health_units"]) as health_units,
    ):
        running = (registry, employability, search, agents, health_units)
        yield {SERVICES[name]: load for name, load in zip(ORDER, running, strict=True)}


ORDER = ("registry", "employability", "search", "agents", "health_units")


def test_the_page_lists_every_kind_once_and_every_sample() -> None:
    assert sorted(map(str, LISTED)) == sorted(f"{name}-{kind}" for name in SERVICES for kind in SERVICES[name].imports)
    listed = {sample for each in LISTED for sample in each.samples}
    catalogues = {OPERATE / "samples/access/catalogue.yaml"}
    assert listed | catalogues == {file for file in (OPERATE / "samples").rglob("*") if file.is_file()}
    assert all(each.samples for each in LISTED)


@pytest.mark.parametrize("listed", LISTED, ids=str)
def test_the_required_members_and_the_tables_are_those_of_the_page(listed: Listed) -> None:
    declared = listed.service.imports[listed.kind]
    info = msgspec.inspect.type_info(declared.row)
    assert isinstance(info, msgspec.inspect.StructType)
    assert {field.encode_name for field in info.fields if field.required} <= set(listed.members)
    assert declared.from_table == listed.is_table
    for sample in listed.samples:
        if sample.suffix == ".jsonl":
            lines = [json.loads(line) for line in sample.read_bytes().splitlines()]
            assert all(set(listed.members) <= line.keys() for line in lines), sample
            without: dict[str, Any] = dict(lines[0])
            for member in listed.members:
                with pytest.raises((msgspec.ValidationError, Invalid, ValueError)):
                    msgspec.json.decode(
                        msgspec.json.encode({name: without[name] for name in without if name != member}),
                        type=declared.row,
                    )


def test_every_line_of_every_sample_is_accepted_in_the_order_of_the_page(
    loads: dict[Service, Load], tmp_path: Path
) -> None:
    report = tmp_path / "refused.jsonl"
    for each in LISTED:
        for sample in each.samples:
            rehearsed = counts(loads[each.service](sample, each.kind, report=report, dry_run=True))
            assert refusals(report) == {}, sample
            assert rehearsed[0] >= rehearsed[1] > 0 or "csv" in sample.name, sample
            assert counts(loads[each.service](sample, each.kind)) == rehearsed
            assert counts(loads[each.service](sample, each.kind))[1] == 0


def read(row: type[msgspec.Struct], content: bytes, tmp_path: Path, name: str = "a.csv") -> list[Any]:
    """Return the table's rows in the form in which its import receives them."""
    file = tmp_path / name
    file.write_bytes(content)
    with open_source(file) as lines:
        assert lines.table is not None
        lines.table.expect(row)
        return [msgspec.json.decode(lines.table.to_json(record.content), type=row) for record in lines.take(100)]


HEADER = "cpf;nome;nascimento.data;obito.indicador;endereco.principal.latitude;documentos.cns"
LINES = f"{HEADER}\r\n90000000175;João da Conceição;1990-07-01;VERDADEIRO;-22,5;1|2\r\n90000000256;Zé;;não;;\r\n"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "windows-1252"])
@pytest.mark.parametrize("name", ["a.csv", "A.CSV"])
def test_a_spreadsheet_of_brazil_is_read_as_it_was_meant(tmp_path: Path, encoding: str, name: str) -> None:
    first, second = read(CitizenRow, LINES.encode(encoding), tmp_path, name)
    assert (first.nome, first.nascimento.data, first.obito.indicador) == ("João da Conceição", "1990-07-01", True)
    assert (first.endereco.principal.latitude, first.documentos.cns) == (-22.5, ["1", "2"])
    assert (second.nome, second.nascimento, second.obito.indicador, second.endereco) == ("Zé", None, False, None)


@pytest.mark.parametrize("name", ["a.jsonl", "a.jsonl.gz"])
@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b'[\n  {"cpf": "90000000175"}\n]\n', "lista JSON"),
        (b'\xef\xbb\xbf [{"cpf": "90000000175"}]', "lista JSON"),
        ('{"cpf": "90000000175"}\n'.encode("utf-16"), "UTF-16"),
    ],
)
def test_a_file_of_another_form_is_refused_whole(tmp_path: Path, name: str, content: bytes, reason: str) -> None:
    file = tmp_path / name
    file.write_bytes(gzip.compress(content) if name.endswith(".gz") else content)
    with pytest.raises(Invalid, match=reason) as refused, open_source(file):
        pass
    assert refused.value.code == "file-broken"


def test_a_broken_line_makes_no_other_encoding_of_a_file_in_utf_8() -> None:
    assert detect_encoding([b"nome", "Conceição".encode(), b"Concei\xe7\xe3o"]) == UTF_8
    assert detect_encoding([b"nome", b"Concei\xe7\xe3o", b"Ana", b"Jos\xe9"]) == WINDOWS_1252
    assert detect_encoding([b"nome", b"Ana"]) == UTF_8


@pytest.mark.parametrize(
    ("row", "column"),
    [(CitizenRow, "nascimento"), (CitizenRow, "endereco.alternativo"), (ServiceRow, "buttons"), (ServiceRow, "agents")],
)
def test_a_column_of_what_has_parts_is_refused_by_name(row: type[msgspec.Struct], column: str) -> None:
    with pytest.raises(Invalid, match=f"`{column}`") as refused:
        Table.parse(["id", column]).expect(row)
    assert refused.value.code == "import-not-table"


@pytest.mark.parametrize("header", [b"", b"id,,nome", b"id,nome,id", b'id,"nome', "id,nome".encode("utf-16")])
def test_a_table_whose_columns_have_no_names_of_their_own_is_refused_whole(header: bytes, tmp_path: Path) -> None:
    with pytest.raises(Invalid) as refused:
        read(TicketRow, header, tmp_path)
    assert refused.value.code == "file-broken"


def test_a_column_that_no_row_has_is_passed_over(tmp_path: Path) -> None:
    (row,) = read(TicketRow, b"cpf,id,status,data_inicio,a,b.c\n90000000175,1,Aberto,2026-01-01,x,y\n", tmp_path)
    assert (row.cpf, row.id) == ("90000000175", "1")
