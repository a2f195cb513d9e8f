"""Files in a bucket of a real S3-compatible server, over HTTP (rules: registry 4.18)."""

from collections.abc import Iterator

import httpx
import pytest

from balcao.settings import Settings
from tests.registry.registry_client import RegistryClient, new_cpf
from tests.support.fixture_types import Drain, Sql
from tests.support.issuer import Issuer
from tests.support.refusals import refusal
from tests.support.s3_server import S3Server, run_s3_server
from tests.support.sample_files import document, photo
from tests.support.server import NOWHERE, UNLIMITED

pytestmark = [pytest.mark.s3, pytest.mark.long]


@pytest.fixture(scope="module")
def s3(tmp_path_factory: pytest.TempPathFactory) -> Iterator[S3Server]:
    with run_s3_server(tmp_path_factory.mktemp("s3")) as server:
        yield server


@pytest.fixture(scope="module")
def settings(issuer: Issuer, tmp_path_factory: pytest.TempPathFactory, s3: S3Server) -> Settings:
    data = tmp_path_factory.mktemp("data")
    return s3.configure(Settings(auth_issuer=issuer.address, data_dir=data, port=NOWHERE, refused_rate=UNLIMITED))


@pytest.mark.cases("registry", "Y7")
def test_nothing_is_stored_while_the_server_is_down(
    http: httpx.Client, issuer: Issuer, s3: S3Server, sql: Sql, drain: Drain
) -> None:
    cpf = new_cpf()
    call, path = RegistryClient(http, issuer.person(cpf)), f"/citizen/{cpf}/files"
    file = call.ok("POST", path, photo())
    assert s3.list_objects() == {file["id"]}
    s3.stop()
    assert refusal(call("POST", path, document(), Idempotency_Key="later")) == (503, "file-storage-down")
    assert refusal(call("GET", f"{path}/{file['id']}/content")) == (503, "file-storage-down")
    assert [each["id"] for each in call.ok("GET", path)["data"]] == [file["id"]]
    assert call("DELETE", f"{path}/{file['id']}").status_code == 204
    s3.start()
    again = call.ok("POST", path, document(), Idempotency_Key="later")
    assert call("GET", f"{path}/{again['id']}/content").content == document()
    assert s3.list_objects() == {file["id"], again["id"]}
    sql("INSERT INTO queue.pgqueuer (priority, entrypoint, status) VALUES (0, 'registry.delete_files', 'queued')")
    drain()
    assert s3.list_objects() == {again["id"]}
