"""A service's export is encrypted, complete and ordered. If it is killed, the next run continues it."""

import gzip
import json
import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import asyncpg
import msgspec
import pyrage
import pytest
from hypothesis import given
from hypothesis import settings as examples
from hypothesis import strategies as st
from pydantic import SecretStr

from balcao import app
from balcao.core.errors import BalcaoError, Conflict, Invalid, NotFound
from balcao.core.exports import folder as folders
from balcao.core.exports import reading, service, store
from balcao.core.exports.folder import Manifest
from balcao.core.exports.service import Order
from balcao.core.service import Service
from balcao.settings import Settings
from tests.registry.import_runs import counts, importing
from tests.support import databases
from tests.support.fixture_types import Sql
from tests.support.operator_calls import acting
from tests.support.proof_sizes import size
from tests.support.sandbox import fill_with_demo

SERVICES = [each for each in app.SERVICES if each.exports]
REGISTRY = next(each for each in SERVICES if each.name == "registry")
IDENTITY = pyrage.x25519.Identity.generate()
RECIPIENT = str(IDENTITY.to_public())
# Data of a demo person that would be visible in an unencrypted export.
SEEN = (b"90000000175", b"Ana Beatriz", b"Moreira")
SMALL = 2_000
# Three sorts of kinds: with a key of one column, with a key of several columns, and without rows. Exporting all kinds
# would write hundreds of files.
FEW = [export for export in REGISTRY.exports if export.kind in {"settings", "preference-ledger", "wording", "own-pet"}]
# Another test imports these kinds. It takes seconds to check them for personal data.
SLOW = {"examples"}

Make = Callable[..., Manifest]


class Killed(BaseException):
    """An exception that stops the export where a kill would stop the process."""


@pytest.fixture(scope="module")
def database_url(settings: Settings) -> Iterator[str]:
    """Yield a database with the demo data of all services. The tests of this module only read it."""
    name = databases.new_name()
    url = databases.create(name)
    fill_with_demo(settings, url)
    yield url
    databases.drop(name)


@pytest.fixture(scope="module")
def make(settings: Settings, database_url: str) -> Iterator[Make]:
    """Yield `make(folder, service)`, which exports a service as the command does."""
    with acting(settings, database_url, "registry.export") as act:

        def run(folder: Path, of: Service = REGISTRY, progress: service.OnProgress = silent, **order: Any) -> Manifest:
            order = dict[str, Any](exports=of.exports, recipients=[RECIPIENT]) | order
            made: Manifest = act(service.run_export, folder, Order(of.name, **order), progress)
            return made

        yield run


def silent(*_: object) -> None:
    """Ignore the progress."""


def read_lines(folder: Path, kind: str) -> list[bytes]:
    manifest = reading.open_export(folder)
    parts = [part for part in manifest.parts if part.kind == kind]
    content = b"".join(chunk for part in parts for chunk in reading.read_part(folder, part, [IDENTITY]))
    return content.splitlines(keepends=True)


def read_all(folder: Path) -> dict[str, list[bytes]]:
    return {kind: read_lines(folder, kind) for kind in reading.open_export(folder).kinds}


def test_every_table_of_a_service_leaves_or_is_named_as_derived(sql: Sql) -> None:
    rows = sql("SELECT schemaname, schemaname || '.' || tablename AS name FROM pg_tables")
    for each in SERVICES:
        exports = [feature.exports for feature in each.features]
        named = [kind.rows for one in exports for kind in one.list_kinds()]
        leaving = {rows.table for rows in named if not callable(rows)}
        derived = {table for one in exports for table in one.derived}
        stored = {row["name"] for row in rows if row["schemaname"] == each.name and "services_v" not in row["name"]}
        assert (leaving | derived, leaving & derived) == (stored, set())
        kinds = [export.kind for export in each.exports]
        assert len(set(kinds)) == len(kinds)
        assert set(each.imports) <= set(kinds)


@pytest.mark.long
@pytest.mark.parametrize("of", SERVICES, ids=lambda each: each.name)
def test_an_export_has_every_row_and_an_import_of_it_changes_nothing(
    make: Make, settings: Settings, database_url: str, sql: Sql, tmp_path: Path, of: Service
) -> None:
    manifest = make(tmp_path / "all", of, part_bytes=SMALL)
    found = read_all(tmp_path / "all")
    assert {kind: len(lines) for kind, lines in found.items()} == manifest.count_lines()
    for export in of.exports:
        if not callable(export.rows):
            condition = f"SELECT count(*) FROM {export.rows.table} AS stored WHERE {export.rows.condition}"
            assert len(found[export.kind]) == sql(condition)[0]["count"]
    with importing(settings, database_url, of) as run:
        for kind in of.imports:
            file = tmp_path / "lines.jsonl"
            file.write_bytes(b"".join(found[kind]))
            report = tmp_path / "refused.jsonl"
            lines = len(found[kind])
            assert counts(run(file, kind, report=report)) == (lines, 0, lines, 0), (kind, report.read_text())
            assert lines, kind


@pytest.mark.long
def test_an_export_taken_into_an_empty_database_is_the_same_when_exported_again(
    make: Make, settings: Settings, tmp_path: Path
) -> None:
    name = databases.new_name()
    url = databases.create(name)
    try:
        for of in SERVICES:
            make(tmp_path / of.name, of)
            with importing(settings, url, of) as run:
                for kind in (kind for kind in of.imports if kind not in SLOW):
                    file = tmp_path / f"{kind}.jsonl"
                    file.write_bytes(b"".join(read_lines(tmp_path / of.name, kind)))
                    assert run(file, kind).done.refused == 0, kind
            with acting(settings, url, f"{of.name}.export") as act:
                again = tmp_path / f"{of.name}-again"
                act(service.run_export, again, Order(of.name, of.exports, [RECIPIENT]), silent)
            for kind, declared in ((kind, row) for kind, row in of.imports.items() if kind not in SLOW):
                assert decoded(read_lines(again, kind), declared.row) == decoded(
                    read_lines(tmp_path / of.name, kind), declared.row
                ), kind
    finally:
        databases.drop(name)


def decoded(lines: list[bytes], row: type[msgspec.Struct]) -> list[Any]:
    """Return the lines as the import decodes them, sorted.

    The database assigns some ids during the import, in the order of the rows, so the order of the lines can differ.
    """
    return sorted(msgspec.json.encode(msgspec.json.decode(line, type=row)) for line in lines)


async def test_every_batch_is_found_by_an_index(database_url: str) -> None:
    """Each batch is read through an index, without a sort.

    The demo tables are small, so the planner would prefer a sequential scan. With these settings, it uses an index if
    one exists.
    """
    connection = await asyncpg.connect(database_url)
    try:
        await connection.execute("SET enable_seqscan = off; SET enable_bitmapscan = off; SET enable_sort = off")
        for export in (export for each in SERVICES for export in each.exports):
            rows = await export.rows(connection) if callable(export.rows) else export.rows
            key = await store.read_key(connection, rows)
            for is_resumed in (False, True):
                # Replace each parameter with a value that the planner does not know.
                statement = re.sub(r"\$[0-9]", "(SELECT '')", store.build_statement(rows, key, is_resumed=is_resumed))
                found = list_steps(await connection.fetchval(f"EXPLAIN (FORMAT JSON) {statement}"))
                assert found[0] == "Limit"
                assert found[-1].startswith("Index"), (export.kind, found)
                assert "Sort" not in found, (export.kind, found)
    finally:
        await connection.close()


def list_steps(plan: str) -> list[str]:
    """Return the plan's node types, from the root to the node that reads the rows."""
    node, found = json.loads(plan)[0]["Plan"], []
    while node:
        found.append(node["Node Type"])
        node = next((each for each in node.get("Plans", ()) if each["Parent Relationship"] == "Outer"), None)
    return found


def test_nothing_of_a_person_is_on_the_disk_in_clear(make: Make, tmp_path: Path) -> None:
    with pytest.raises(Killed):
        make(tmp_path / "killed", part_bytes=SMALL, progress=kill_after(20))
    make(tmp_path / "whole")
    files = [file for folder in ("killed", "whole") for file in (tmp_path / folder).iterdir()]
    assert len(files) > len(REGISTRY.exports)
    for file in files:
        content = file.read_bytes()
        assert [word for word in SEEN if word in content] == []
        assert file.stat().st_mode & 0o077 == 0
    assert all(any(word in line for line in read_lines(tmp_path / "whole", "citizens")) for word in SEEN)


def kill_after(parts: int) -> service.OnProgress:
    left = iter(range(parts))

    def progress(*_: object) -> None:
        if next(left, None) is None:
            raise Killed

    return progress


@examples(max_examples=size(10, 200))
@given(kills=st.lists(st.integers(0, 12), min_size=1, max_size=4), part_bytes=st.sampled_from([1, 700]))
def test_a_killed_export_goes_on_after_its_last_whole_part(
    make: Make, tmp_path_factory: pytest.TempPathFactory, kills: list[int], part_bytes: int
) -> None:
    folder = tmp_path_factory.mktemp("export")
    for parts in kills:
        with suppress(Killed):
            make(folder, exports=FEW, part_bytes=part_bytes, progress=kill_after(parts))
            break
        (folder / f"settings-000099{folders.SUFFIX}").write_bytes(b"a part that the manifest does not know")
        (folder / f"{folders.MANIFEST}.unfinished").write_bytes(b"{")
    manifest = folders.read_manifest(folder)
    assert manifest is not None
    if not manifest.complete:
        before = manifest.parts
        manifest = make(folder, exports=FEW, part_bytes=part_bytes)
        assert manifest.parts[: len(before)] == before
    whole = tmp_path_factory.mktemp("whole")
    make(whole, exports=FEW)
    assert read_all(folder) == read_all(whole)
    assert {file.name for file in folder.iterdir()} == {folders.MANIFEST, *(part.file for part in manifest.parts)}


def test_parts_of_another_instant_are_told_apart(make: Make, tmp_path: Path) -> None:
    assert {part.snapshot for part in make(tmp_path / "once").parts} == {1}
    with pytest.raises(Killed):
        make(tmp_path / "twice", part_bytes=SMALL, progress=kill_after(3))
    manifest = make(tmp_path / "twice", part_bytes=SMALL)
    assert [part.snapshot for part in manifest.parts[:5]] == [1, 1, 1, 1, 2]
    assert manifest.snapshots[0] < manifest.snapshots[1]
    assert {part.snapshot for part in make(tmp_path / "twice", restart=True).parts} == {1}


def test_a_folder_with_anything_else_is_left_as_it_is(make: Make, tmp_path: Path) -> None:
    foreign = tmp_path / "foreign"
    foreign.mkdir()
    (foreign / f"mine{folders.SUFFIX}").write_bytes(b"mine")
    with pytest.raises(Conflict, match="não está vazia") as refused:
        make(foreign, restart=True)
    assert refused.value.code == "conflict"
    assert [file.name for file in foreign.iterdir()] == [f"mine{folders.SUFFIX}"]
    make(tmp_path / "done")
    with pytest.raises(Conflict, match="completa") as refused:
        make(tmp_path / "done")
    assert refused.value.code == "conflict"
    with pytest.raises(Killed):
        make(tmp_path / "begun", progress=kill_after(1))
    with pytest.raises(Conflict, match="outro serviço") as refused:
        make(tmp_path / "begun", SERVICES[0])
    assert refused.value.code == "conflict"
    with folders.hold_folder(tmp_path / "begun"), pytest.raises(Conflict, match="Outra exportação"):
        make(tmp_path / "begun")
    with pytest.raises(Invalid, match="incompleta"):
        reading.open_export(tmp_path / "begun")
    with pytest.raises(NotFound):
        reading.open_export(tmp_path)


def test_an_export_that_was_begun_under_another_hash_key_says_so(
    make: Make, settings: Settings, database_url: str, tmp_path: Path
) -> None:
    with pytest.raises(Killed):
        make(tmp_path, progress=kill_after(1))
    rotated = settings.model_copy(update={"hash_key": SecretStr("another key of the city, long enough to be one")})
    with acting(rotated, database_url, "registry.export") as act, pytest.raises(Conflict, match="HASH_KEY"):
        act(service.run_export, tmp_path, Order(REGISTRY.name, REGISTRY.exports, [RECIPIENT]), silent)


@pytest.mark.parametrize("damage", ["flipped", "cut", "missing", "another's"])
def test_a_damaged_part_is_found(make: Make, tmp_path: Path, damage: str) -> None:
    manifest = make(tmp_path, SERVICES[0])
    part = manifest.parts[3]
    file = tmp_path / part.file
    content = file.read_bytes()
    if damage == "missing":
        file.unlink()
    elif damage == "flipped":
        file.write_bytes(content[:-1] + bytes([content[-1] ^ 1]))
    elif damage == "cut":
        file.write_bytes(content[:-1])
    else:
        file.write_bytes(pyrage.encrypt(gzip.compress(b"{}\n"), [IDENTITY.to_public()]))
    for identities in ([], [IDENTITY]):
        for each in manifest.parts:
            if each == part:
                with pytest.raises(BalcaoError):
                    reading.check_export(tmp_path, each, identities)
            else:
                reading.check_export(tmp_path, each, identities)


def test_every_beginning_is_recorded(make: Make, tmp_path: Path, sql: Sql) -> None:
    events = "SELECT fields, actor_kind FROM platform.audit_event WHERE action = 'export' ORDER BY at DESC, id DESC"
    before = len(sql(events))
    make(tmp_path)
    found = sql(events)
    assert len(found) == before + 1
    assert (found[0]["fields"], found[0]["actor_kind"]) == (["export:registry"], "operator")


@pytest.mark.parametrize(
    "text", ["", "age1", "x", "ssh-rsa AAAA", str(IDENTITY)], ids=["empty", "short", "other", "SSH", "private"]
)
def test_what_is_no_public_key_is_refused_and_not_repeated(make: Make, tmp_path: Path, text: str) -> None:
    with pytest.raises(Invalid) as refused:
        make(tmp_path / "export", recipients=[text])
    assert "chave pública" in refused.value.message
    assert str(IDENTITY) not in refused.value.message
    assert list(tmp_path.iterdir()) == []
