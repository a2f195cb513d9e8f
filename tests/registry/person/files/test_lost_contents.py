"""The log distinguishes content that the storage has lost from a file that was deleted during a call.

Rules: registry 4.18.
"""

from collections.abc import Iterator
from pathlib import Path
from uuid import UUID

import msgspec
import pytest

from balcao.core.context.call import operator_call
from balcao.core.context.platform import Platform
from balcao.core.errors import NotFound
from balcao.core.files.folder import FolderStorage
from balcao.core.files.storage import FileStorage
from balcao.core.values.cpf import Cpf
from balcao.registry.person.files import service, store
from balcao.registry.person.files.service import ContentLost
from tests.registry.person.files.test_copies import add_file
from tests.registry.registry_client import new_cpf


class DeletingStorage(FolderStorage):
    """A folder whose files another call deletes after a row was read and before its content is read."""

    def __init__(self, root: Path, platform: Platform, cpf: Cpf) -> None:
        super().__init__(root)
        self._platform = platform
        self._cpf = cpf

    async def read(self, name: str) -> bytes | None:
        async with self._platform.database.transaction() as connection:
            assert await store.delete_unused_file(connection, self._cpf, UUID(name))
        await self.delete(name)
        return await super().read(name)


@pytest.fixture
def cpf() -> Cpf:
    return Cpf(new_cpf())


@pytest.fixture
def folder(platform: Platform) -> Iterator[FolderStorage]:
    storage = platform.part(FileStorage)
    assert isinstance(storage, FolderStorage)
    yield storage
    platform.parts[FileStorage] = storage


def describe(cpf: Cpf, file: store.NewFile) -> str:
    """Return the file's line of the service's export."""
    return msgspec.json.encode({"id": file.id, "cpf": cpf.digits, "digest": f"\\x{file.digest.hex()}"}).decode()


@pytest.mark.cases("registry", "Y11")
async def test_a_file_that_is_deleted_during_its_download_does_not_exist(
    platform: Platform, folder: FolderStorage, cpf: Cpf, caplog: pytest.LogCaptureFixture
) -> None:
    sent, exported = await add_file(platform, cpf), await add_file(platform, cpf)
    platform.parts[FileStorage] = DeletingStorage(folder.root, platform, cpf)
    with pytest.raises(NotFound):
        await service.read_content(operator_call(platform, "registry.read_file"), cpf, sent.id)
    line = await service.add_content(platform, describe(cpf, exported))
    assert msgspec.json.decode(line)["content"] is None
    assert "files.content" not in caplog.text


@pytest.mark.cases("registry", "Y11")
async def test_lost_and_changed_content_are_logged_with_different_names(
    platform: Platform, folder: FolderStorage, cpf: Cpf, caplog: pytest.LogCaptureFixture
) -> None:
    lost, changed = await add_file(platform, cpf), await add_file(platform, cpf)
    await folder.delete(str(lost.id))
    folder.locate(str(changed.id)).write_bytes(b"other")
    for file, event in ((lost, "files.content_missing"), (changed, "files.content_differs")):
        caplog.clear()
        with pytest.raises(ContentLost):
            await service.read_content(operator_call(platform, "registry.read_file"), cpf, file.id)
        line = await service.add_content(platform, describe(cpf, file))
        assert msgspec.json.decode(line)["content"] is None
        assert [event in record.getMessage() for record in caplog.records] == [True, True]
