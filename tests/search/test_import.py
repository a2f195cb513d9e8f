"""Import and export of catalogues: `balcao search import` and `export` (rules: search 2.5, 3.3)."""

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
from tests.registry.import_runs import Load, counts, importing, refusals
from tests.search.staff import Staff, with_required
from tests.search.support import make_button
from tests.support.sent_statements import recorded
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


def test_a_batch_of_services_takes_as_many_statements_as_one(
    settings: Settings, database_url: str, tmp_path: Path, sql: Sql
) -> None:
    rows = [row(nome_servico=f"Serviço em lote {number}", status=1) for number in range(5)]
    changed = [one | {"nome_servico": f"{one['nome_servico']} outra vez", "status": 0} for one in rows]

    def count(*lines: dict[str, Any], changed: int) -> int:
        with recorded() as sent, importing(settings, database_url, SEARCH) as load:
            assert load(write_lines(tmp_path, *lines), kind="services").done.changed == changed
        return len(sent.texts)

    assert count(rows[0], changed=1) == count(*rows[1:], changed=4)
    assert count(rows[0], changed=0) == count(*rows[1:], changed=0)
    assert count(changed[0], changed=1) == count(*changed[1:], changed=4)
    assert count_versions(sql, *rows) == ["create", "unpublish"] * 5
    query = "SELECT slug FROM search.service_slugs WHERE service_id = $1::uuid ORDER BY current"
    for number, one in enumerate(rows):
        former = f"servico-em-lote-{number}-{one['id'][:8]}"
        now = f"servico-em-lote-{number}-outra-vez-{one['id'][:8]}"
        assert [found["slug"] for found in sql(query, one["id"])] == [former, now]


def test_of_two_lines_that_want_one_address_the_first_id_has_it(load: Load, tmp_path: Path, sql: Sql) -> None:
    first, second = sorted(
        (row(slug="o-mesmo", nome_servico="Dois donos") for _ in range(2)), key=lambda one: one["id"]
    )
    assert load(write_lines(tmp_path, second, first)).done.changed == 2
    query = "SELECT service_id::text FROM search.service_slugs WHERE slug = $1"
    assert sql(query, "o-mesmo")[0]["service_id"] == first["id"]
    assert sql(query, f"dois-donos-{second['id'][:8]}")[0]["service_id"] == second["id"]


def test_a_service_without_a_free_address_is_refused_alone(load: Load, tmp_path: Path, sql: Sql) -> None:
    late = row(nome_servico="Sem endereço", status=1)
    taken = [f"sem-endereco-{late['id'][:length]}" for length in (8, 13, 36)]
    assert load(write_lines(tmp_path, *(row(slug=slug) for slug in taken))).done.changed == 3
    others, report = [row(status=1) for _ in range(4)], tmp_path / "recusadas.jsonl"
    assert counts(load(write_lines(tmp_path, *others[:2], late, *others[2:]), report=report)) == (5, 4, 0, 1)
    assert refusals(report) == {3: "O nome do serviço leva a um endereço que já existe."}
    assert count_versions(sql, late) == []


def test_what_is_exported_is_imported_as_it_is(terminal: Terminal, tmp_path: Path, staff: Staff) -> None:
    made = [staff.publish(), staff.create(buttons=[make_button()], agents={"tool_hint": "x"})]
    done = terminal.run("search", "export")
    assert done.returncode == 0, done.stderr
    lines = done.stdout.encode().splitlines()
    exported = {one["id"]: one for one in map(msgspec.json.decode, lines)}
    for service in made:
        assert exported[service["id"]] == {name: value for name, value in service.items() if name != "version"}
    assert terminal.json("search", "import", str(write_lines(tmp_path, *lines)), "--json") == {
        "kind": "services", "dry_run": False, "lines": len(lines), "rows": len(lines),
        "changed": 0, "unchanged": len(lines), "refused": 0, "skipped": 0, "resumed_after": 0,
    }  # fmt: skip
