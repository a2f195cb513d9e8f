"""The two file storages, a folder and a bucket of a real S3 server, behave in the same way (rules: registry 4.18)."""

import os
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from balcao.core.files.folder import FolderStorage
from balcao.core.files.opening import make_storage
from balcao.core.files.storage import FileStorage, StorageDown
from balcao.core.values.ids import new_id
from balcao.settings import Settings
from tests.support import small_disks
from tests.support.http_receiver import Answer, Receiver
from tests.support.s3_server import S3Server, run_s3_server

LATER = datetime.now(UTC) + timedelta(days=1)
BUCKET = pytest.param("bucket", marks=[pytest.mark.s3, pytest.mark.long])


@pytest.fixture(scope="module")
def s3(tmp_path_factory: pytest.TempPathFactory) -> Iterator[S3Server]:
    with run_s3_server(tmp_path_factory.mktemp("s3")) as server:
        yield server


@pytest.fixture
def storage(request: pytest.FixtureRequest, tmp_path: Path) -> FileStorage:
    settings = Settings(data_dir=tmp_path)
    if request.param == "bucket":
        settings = request.getfixturevalue("s3").configure(settings)
    return make_storage(settings)


async def list_names(storage: FileStorage, before: datetime = LATER) -> set[str]:
    return {name async for names in storage.list_older(before) for name in names}


@pytest.mark.parametrize("storage", ["folder", BUCKET], indirect=True)
async def test_a_stored_file_is_read_listed_and_deleted(storage: FileStorage) -> None:
    contents = {new_id(): os.urandom(size) for size in (1, 1000, 5 * 1024**2)}
    before = await list_names(storage)
    for name, content in contents.items():
        await storage.write(name, content)
    await storage.check()
    assert {name: await storage.read(name) for name in contents} == contents
    assert await list_names(storage) - before == set(contents)
    assert await list_names(storage, datetime.now(UTC) - timedelta(hours=1)) == set()
    for name in contents:
        await storage.delete(name)
        await storage.delete(name)
        assert await storage.read(name) is None
    assert await list_names(storage) == before


async def test_only_the_owner_reads_the_folder(tmp_path: Path) -> None:
    storage, name = FolderStorage(tmp_path / "files"), new_id()
    await storage.write(name, b"private")
    for path in (tmp_path / "files").rglob("*"):
        assert path.stat().st_mode & 0o077 == 0


@pytest.mark.cases("registry", "Y7")
@pytest.mark.mounts
async def test_a_full_disk_leaves_no_part_of_a_file(tmp_path: Path) -> None:
    (tmp_path / "disk").mkdir()
    with small_disks.disk(tmp_path / "disk", 2) as disk:
        storage, name = FolderStorage(disk / "files"), new_id()
        with pytest.raises(StorageDown):
            await storage.write(name, os.urandom(3 * 1024**2))
        assert await storage.read(name) is None
        assert not [path for path in disk.rglob("*") if path.is_file()]
        await storage.write(name, b"small")
        assert await storage.read(name) == b"small"


@pytest.mark.s3
@pytest.mark.long
async def test_a_server_that_is_stopped_or_refuses_is_down(
    s3: S3Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = s3.configure(Settings(data_dir=tmp_path))
    refused = make_storage(s3.configure(settings, files_s3_secret="outro"))
    missing = make_storage(s3.configure(settings, files_s3_bucket="nenhum"))
    for storage in (refused, missing):
        with pytest.raises(StorageDown):
            await storage.check()
        with pytest.raises(StorageDown):
            await storage.write(new_id(), b"x")
    monkeypatch.setenv("AWS_SESSION_TOKEN", "of another program")
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:1")
    storage, name = make_storage(settings), new_id()
    await storage.write(name, b"kept")
    s3.stop()
    for call in (storage.check(), storage.read(name), storage.delete(name), storage.write(new_id(), b"x")):
        with pytest.raises(StorageDown):
            await call
    s3.start()
    assert await storage.read(name) == b"kept"


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
async def test_no_redirect_of_the_server_is_followed(tmp_path: Path, status: int) -> None:
    """In particular, a file that another server claims to have stored is not acknowledged."""
    with Receiver() as other, Receiver() as server:
        settings = {"files_s3_url": server.url, "files_s3_key_id": "balcao", "files_s3_secret": "segredo"}
        storage = make_storage(Settings(data_dir=tmp_path, **settings))
        other.usual = Answer(200, b"inner", {"ETag": '"x"', "Last-Modified": "Sun, 29 Nov 2026 10:00:00 GMT"})
        for host in ("127.0.0.1", "localhost"):
            server.usual = Answer(status, headers={"Location": f"http://{host}:{other.port}/elsewhere"})
            calls = [storage.write("a", b"x"), storage.read("a"), storage.delete("a"), storage.check()]
            for call in [*calls, list_names(storage)]:
                with pytest.raises(StorageDown):
                    await call
        assert len(server.received) == 10  # a redirect is not a failure that a repetition could fix
        assert other.received == []


async def test_a_redirect_of_only_the_list_gets_no_credentials(tmp_path: Path) -> None:
    with Receiver() as other, Receiver() as server:
        settings = {"files_s3_url": server.url, "files_s3_key_id": "chave-secreta", "files_s3_secret": "segredo"}
        storage = make_storage(Settings(data_dir=tmp_path, **settings))
        server.answers.append(Answer(404))
        server.usual = Answer(307, headers={"Location": f"http://localhost:{other.port}/elsewhere"})
        with pytest.raises(StorageDown):
            await storage.check()
        assert "authorization" in server.received[-1].headers
        (request,) = other.received
        assert "chave-secreta" not in str(request)
        assert "authorization" not in request.headers


async def test_a_failure_of_the_server_is_repeated(tmp_path: Path) -> None:
    with Receiver() as server:
        settings = {"files_s3_url": server.url, "files_s3_key_id": "balcao", "files_s3_secret": "segredo"}
        storage = make_storage(Settings(data_dir=tmp_path, **settings))
        server.answers.extend([Answer(503), Answer(500), Answer(200)])
        await storage.write("a", b"content")
        assert [(one.method, one.body) for one in server.received] == [("PUT", b"content")] * 3
        server.usual = Answer(503)
        with pytest.raises(StorageDown):
            await storage.read("a")
        assert len(server.received) == 6
