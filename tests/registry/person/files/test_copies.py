"""Copies of the file storage contain every file that a copy of the database refers to (docs/operate/backup.md)."""

import hashlib
import os
import shutil
from datetime import timedelta
from pathlib import Path

import pytest

from balcao.core.context.platform import Platform
from balcao.core.files.detection import MediaType
from balcao.core.files.storage import FileStorage
from balcao.core.values.clock import utc_now
from balcao.core.values.cpf import Cpf
from balcao.core.values.ids import new_uuid
from balcao.registry.person.files import store
from balcao.registry.person.files.copies import CopiedFiles, FileCopies, RestoredFiles
from balcao.registry.person.files.store import NewFile
from balcao.settings import Settings
from tests.registry.registry_client import new_cpf

OLD = 1_700_000_000


async def add_file(platform: Platform, cpf: Cpf) -> NewFile:
    """Store a file. Its content is its own name."""
    id = new_uuid()
    file = NewFile(id, MediaType.PDF, 36, hashlib.sha256(str(id).encode()).digest(), None, None)
    await platform.part(FileStorage).write(str(id), str(id).encode())
    async with platform.database.transaction() as connection:
        await store.insert_file(connection, cpf, file)
    return file


@pytest.fixture
def copies(platform: Platform, tmp_path: Path) -> FileCopies:
    return FileCopies(platform.database, platform.part(FileStorage), tmp_path)


def list_copies(folder: Path) -> set[str]:
    return {path.name for path in folder.glob("*/*")}


async def test_files_come_back_as_long_as_a_copy_of_the_database_needs_them(
    platform: Platform, settings: Settings, copies: FileCopies, tmp_path: Path
) -> None:
    cpf = Cpf(new_cpf())
    first, second = await add_file(platform, cpf), await add_file(platform, cpf)
    assert (await copies.copy_new()).copied >= 2
    third = await add_file(platform, cpf)
    assert await copies.copy_new() == CopiedFiles(1, 0)
    assert await copies.copy_new() == CopiedFiles(0, 0)
    assert {str(file.id) for file in (first, second, third)} <= list_copies(tmp_path / "files")
    async with platform.database.transaction() as connection:
        assert await store.delete_unused_file(connection, cpf, first.id)
    shutil.rmtree(Path(settings.data_dir, "files"))
    assert await copies.set_deleted_aside() == 0  # the copies are too recent
    for path in (tmp_path / "files").glob("*/*"):
        os.utime(path, (OLD, OLD))
    before = utc_now()
    assert await copies.set_deleted_aside() == 1
    assert list_copies(tmp_path / "files-deleted") == {str(first.id)}
    restored = await copies.restore()
    assert (restored.restored >= 2, restored.lost) == (True, 0)
    assert await copies.restore() == RestoredFiles(0, 0)
    assert await platform.part(FileStorage).read(str(second.id)) == str(second.id).encode()
    async with platform.database.transaction() as connection:
        await store.insert_file(connection, cpf, first)  # as after the restore of an earlier database state
    assert await copies.restore() == RestoredFiles(1, 0)
    assert await copies.forget_deleted(before - timedelta(seconds=1)) == 0
    assert await copies.forget_deleted(utc_now() + timedelta(seconds=1)) == 1
    assert list_copies(tmp_path / "files-deleted") == set()


async def test_a_missing_file_does_not_make_every_call_check_all_files(
    platform: Platform, copies: FileCopies, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("balcao.registry.person.files.copies._PAGE", 2)
    cpf, storage = Cpf(new_cpf()), platform.part(FileStorage)
    lost, *others = [await add_file(platform, cpf) for _ in range(5)]
    async with platform.database.transaction() as connection:
        age = "UPDATE registry.citizen_file SET created_at = '2026-01-01Z' WHERE cpf = $1"
        await connection.execute(age, cpf.digits)
    await storage.delete(str(lost.id))
    assert (await copies.copy_new()).missing == 1
    for file in others:
        next((tmp_path / "files").glob(f"*/{file.id}")).unlink()
    assert await copies.copy_new() == CopiedFiles(0, 1)
    await storage.write(str(lost.id), str(lost.id).encode())
    assert await copies.copy_new() == CopiedFiles(1, 0)
    assert await copies.copy_new() == CopiedFiles(0, 0)
    monkeypatch.setattr("balcao.registry.person.files.copies._MOST_MISSING", 1)
    for file in (lost, others[0]):
        next((tmp_path / "files").glob(f"*/{file.id}"), tmp_path / "none").unlink(missing_ok=True)
        await storage.delete(str(file.id))
    again = FileCopies(platform.database, storage, tmp_path)
    assert [(await again.copy_new()).missing for _ in range(2)] == [2, 2]
    async with platform.database.transaction() as connection:
        for file in (lost, others[0]):
            await store.delete_unused_file(connection, cpf, file.id)
    assert await again.copy_new() == CopiedFiles(0, 0)


async def test_a_file_that_is_missing_or_changed_is_counted_and_never_copied(
    platform: Platform, copies: FileCopies, tmp_path: Path
) -> None:
    await copies.copy_new()
    file = await add_file(platform, Cpf(new_cpf()))
    storage = platform.part(FileStorage)
    await storage.delete(str(file.id))
    assert await copies.copy_new() == CopiedFiles(0, 1)
    await storage.write(str(file.id), b"changed")
    assert await copies.copy_new() == CopiedFiles(0, 1)
    assert str(file.id) not in list_copies(tmp_path / "files")
    await storage.delete(str(file.id))
    assert await copies.restore() == RestoredFiles(0, 1)
