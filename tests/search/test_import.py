"""Catalogues from files: `balcao search import` and `export` (rules: search 2.5, 3.3)."""

import functools
import gzip
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from uuid import uuid4

import asyncpg
import httpx
import msgspec
import pytest

from balcao.search import SERVICE as SEARCH
from balcao.settings import Settings
from tests.registry.importing import Load, counts, importing, refusals
from tests.search.staff import Staff, with_required
from tests.search.support import make_button
from tests.support.server import free_port
from tests.support.terminal import Terminal

Sql = Callable[..., list[asyncpg.Record]]


@pytest.fixture
def terminal(database_url: str, tmp_path: Path) -> Terminal:
    return Terminal(tmp_path, database_url=database_url, port=free_port())


def row(**members: Any) -> dict[str, Any]:
    return with_required(**{"id": str(uuid4())} | members)


def write_lines(folder: Path, *lines: Any) -> Path:
    file = folder / "catalogo.jsonl"
    file.write_bytes(b"\n".join(line if isinstance(line, bytes) else msgspec.json.encode(line) for line in lines))
    return file


@pytest.fixture(scope="module")
def load(settings: Settings, database_url: str) -> Iterator[Load]:
    with importing(settings, database_url, SEARCH) as run:
        yield functools.partial(run, kind="services")


def count_versions(sql: Sql, *services: dict[str, Any]) -> list[str]:
    found = sql(
        "SELECT change_type FROM search.service_versions WHERE service_id = ANY ($1::uuid[])"
        " ORDER BY service_id, version_number",
        [service["id"] for service in services],
    )
    return [row["change_type"] for row in found]


def test_a_catalogue_comes_with_its_first_versions_and_its_addresses(
    load: Load, tmp_path: Path, sql: Sql, staff: Staff, http: httpx.Client
) -> None:
    kept = row(
        status=1, slug="poda-de-antes", autor="Marta Queiroz", created_at=1_600_000_000, nome_servico="Poda importada",
        search_content="de outro sistema", embedding=[0.1],
    )  # fmt: skip
    draft = row(nome_servico="Rascunho importado", status=0)
    file = write_lines(tmp_path, kept, b"", draft)
    assert load(file, dry_run=True).done.changed == 2
    assert count_versions(sql, kept, draft) == []
    assert counts(load(file)) == (3, 2, 0, 0)
    assert count_versions(sql, kept, draft) == ["create"] * 2
    found = http.get("/search/api/v1/services/poda-de-antes").json()
    assert (found["id"], found["created_at"], found["published_at"]) == (kept["id"], 1_600_000_000, 1_600_000_000)
    whole = staff("GET", f"/services/{kept['id']}").json()
    assert (whole["autor"], whole["version"]) == ("Marta Queiroz", 1)
    assert whole["search_content"].startswith("Poda importada Solicita")
    first = staff("GET", f"/services/{kept['id']}/versions").json()["versions"][0]
    assert (first["created_by"], first["created_by_cpf"]) == ("Importação", None)
    assert http.get(f"/search/api/v1/search/{draft['id']}").status_code == 404


def test_what_is_there_already_is_not_written_again(load: Load, tmp_path: Path, sql: Sql, staff: Staff) -> None:
    same, changed, deleted = (row(status=1, nome_servico=f"Serviço {number}") for number in range(3))
    load(write_lines(tmp_path, same, changed, deleted))
    staff("DELETE", f"/services/{deleted['id']}")
    file = write_lines(tmp_path, same, changed | {"resumo": "outro", "status": 0}, deleted)
    assert counts(load(file)) == (3, 1, 2, 0)
    assert count_versions(sql, same) == ["create"]
    assert count_versions(sql, changed) == ["create", "unpublish"]
    assert count_versions(sql, deleted) == ["create", "delete"]


def test_lines_that_are_no_service_are_reported_by_member_and_the_others_written(load: Load, tmp_path: Path) -> None:
    bad: list[tuple[Any, str]] = [
        (row(orgao_gestor=[]), "`orgao_gestor`"),
        (row(id="1"), "`id`"),
        (row(slug="Á b"), "`slug`"),
        (row(resumo="a<script>"), "`resumo`"),
        (row(created_at=99_999_999_999), "`created_at`"),
        (b"{", "JSON"),
        ([1], "objeto"),
        (row(nome_servico=7), "`nome_servico`"),
    ]
    report = tmp_path / "recusadas.jsonl"
    file = tmp_path / "catalogo.jsonl.gz"
    lines = [row(), *(line for line, _ in bad), row()]
    file.write_bytes(gzip.compress(write_lines(tmp_path, *lines).read_bytes()))
    assert counts(load(file, report=report)) == (len(lines), 2, 0, len(bad))
    refused = refusals(report)
    assert list(refused) == list(range(2, 2 + len(bad)))
    for reason, (_, named) in zip(refused.values(), bad, strict=True):
        assert named in reason


def test_an_address_of_another_service_is_not_taken(
    load: Load, tmp_path: Path, staff: Staff, http: httpx.Client
) -> None:
    owner = staff.publish()
    row_of_file = row(slug=owner["slug"], nome_servico="Outro dono", status=1)
    load(write_lines(tmp_path, row_of_file))
    assert http.get(f"/search/api/v1/services/{owner['slug']}").json()["id"] == owner["id"]
    assert staff("GET", f"/services/{row_of_file['id']}").json()["slug"] == f"outro-dono-{row_of_file['id'][:8]}"


def test_what_is_exported_is_imported_as_it_is(terminal: Terminal, tmp_path: Path, staff: Staff) -> None:
    made = [staff.publish(), staff.create(buttons=[make_button()], agents={"tool_hint": "x"})]
    done = terminal.run("search", "export")
    assert done.returncode == 0, done.stderr
    lines = done.stdout.encode().splitlines()
    exported = {one["id"]: one for one in map(msgspec.json.decode, lines)}
    for service in made:
        assert exported[service["id"]] == {name: value for name, value in service.items() if name != "version"}
    assert terminal.json("search", "import", str(write_lines(tmp_path, *lines)), "--json") == {
        "kind": "services", "dry_run": False, "lines": len(lines),
        "changed": 0, "unchanged": len(lines), "refused": 0, "resumed_after": 0,
    }  # fmt: skip
