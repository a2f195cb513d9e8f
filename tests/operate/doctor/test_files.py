"""Doctor's findings about file storage: several machines with a local folder, or a bucket that does not respond."""

import asyncio
from pathlib import Path

import httpx
import pytest

from balcao.operate.doctor.checks import Part, Subject
from balcao.operate.doctor.files import CHECK
from balcao.settings import Settings, SettingsError
from tests.support.fixture_types import Sql
from tests.support.owner_connection import Owner

BUCKET = {
    "BALCAO_FILES_S3_URL": "http://127.0.0.1:1",
    "BALCAO_FILES_S3_KEY_ID": "chave",
    "BALCAO_FILES_S3_SECRET": "segredo",
}


async def examine(database_url: str, folder: Path, **variables: str) -> Part:
    settings = Settings.load({"BALCAO_DATABASE_URL": database_url, "BALCAO_DATA_DIR": str(folder)} | variables)
    async with httpx.AsyncClient() as http:
        found = await CHECK.examine(Subject(settings, http))
    assert found is not None
    return found


def note_process(sql: Sql, host: str, service: str = "registry") -> None:
    sql(
        "INSERT INTO platform.process (id, name, host, version, services) "
        "VALUES (gen_random_uuid(), 'api', $1, '1', $2)",
        host,
        [service],
    )


async def test_a_folder_serves_one_machine_and_not_several(database_url: str, tmp_path: Path) -> None:
    def note(*hosts: str) -> None:
        owner = Owner(database_url)
        owner.run("DELETE FROM platform.process")
        for host in hosts:
            note_process(owner.run, host)
        note_process(owner.run, "outra", "search")
        owner.close()

    await asyncio.to_thread(note, "uma", "uma")
    assert await examine(database_url, tmp_path) == Part("up", {"folder": str(tmp_path / "files")})
    await asyncio.to_thread(note, "uma", "duas")
    found = await examine(database_url, tmp_path)
    assert found.state == "down"
    assert "duas, uma" in found.problems[0]
    assert "BALCAO_FILES_S3_URL" in found.problems[0]


async def test_a_bucket_that_does_not_answer_is_a_problem(database_url: str, tmp_path: Path) -> None:
    found = await examine(database_url, tmp_path, **BUCKET)
    assert (found.state, found.details) == ("down", {"bucket": "balcao"})
    assert "não pode ser lido" in found.problems[0]


async def test_a_folder_that_is_a_file_is_a_problem(database_url: str, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    found = await examine(database_url, tmp_path / "file")
    assert "Não é possível gravar" in found.problems[-1]


@pytest.mark.parametrize(
    "changed",
    [
        {"BALCAO_FILES_S3_SECRET": ""},
        {"BALCAO_FILES_S3_KEY_ID": ""},
        {"BALCAO_FILES_S3_URL": "ftp://servidor"},
        {"BALCAO_FILES_S3_URL": "https://chave:segredo@servidor"},
        {"BALCAO_FILES_S3_URL": "https://servidor/bucket"},
        {"BALCAO_FILES_S3_BUCKET": "../x"},
    ],
)
def test_settings_that_are_no_bucket_are_refused(changed: dict[str, str]) -> None:
    with pytest.raises(SettingsError, match="BALCAO_FILES_S3"):
        Settings.load(BUCKET | changed)
