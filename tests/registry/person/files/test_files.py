"""The files that citizens send (rules: registry 2.15, 4.18)."""

import hashlib
import io
import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any
from uuid import UUID

import httpx
import pytest
from PIL import Image

from balcao.core.context.platform import Platform
from balcao.core.errors import Invalid
from balcao.core.values.cpf import Cpf
from balcao.core.values.ids import new_uuid
from balcao.registry.person.files import service, store
from balcao.settings import Settings
from tests.registry.registry_client import RegistryClient, new_cpf
from tests.support.fixture_types import Drain, Sql
from tests.support.issuer import Issuer, bearer
from tests.support.refusals import refusal
from tests.support.sample_files import COMMENT, DEVICE, PLACE, bomb, document, drawing, photo

STAFF = "90000040207"
SVG = b'<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'


class Person:
    """A citizen who sends files."""

    def __init__(self, http: httpx.Client, issuer: Issuer) -> None:
        self.cpf = new_cpf()
        self.path = f"/citizen/{self.cpf}/files"
        self.call = RegistryClient(http, issuer.person(self.cpf))

    def send(self, content: bytes, **headers: str) -> httpx.Response:
        return self.call("POST", self.path, content, **headers)

    def stores(self, content: bytes) -> Any:
        return self.call.ok("POST", self.path, content)

    def downloads(self, id: str) -> httpx.Response:
        return self.call("GET", f"{self.path}/{id}/content")


@pytest.fixture
def person(http: httpx.Client, issuer: Issuer) -> Person:
    return Person(http, issuer)


@pytest.fixture
def contents(settings: Settings) -> Callable[[], set[str]]:
    """Return a function that lists the stored contents."""

    def find() -> set[str]:
        return {path.name for path in Path(settings.data_dir, "files").rglob("*") if path.is_file()}

    return find


@pytest.mark.cases("registry", "Y1")
@pytest.mark.parametrize(
    ("sent", "kind", "size"),
    [
        (photo(64, 48), "image/jpeg", (64, 48)),
        (photo(64, 48, orientation=6), "image/jpeg", (48, 64)),
        (photo(64, 48, progressive=True), "image/jpeg", (64, 48)),
        (photo(5000, 40), "image/jpeg", (4096, 33)),
        (drawing(64, 48), "image/png", (64, 48)),
        (drawing(64, 48, "RGBA"), "image/png", (64, 48)),
        (drawing(64, 48, "P"), "image/png", (64, 48)),
        (drawing(64, 48, "1"), "image/png", (64, 48)),
        (drawing(64, 48, "I;16"), "image/png", (64, 48)),
        (drawing(40, 9000), "image/png", (18, 4096)),
    ],
)
def test_only_the_pixels_of_an_image_remain(person: Person, sent: bytes, kind: str, size: tuple[int, int]) -> None:
    assert any(secret in sent for secret in (PLACE, DEVICE, COMMENT))
    file = person.stores(sent)
    assert (file["media_type"], file["width"], file["height"]) == (kind, *size)
    got = person.downloads(file["id"])
    assert hashlib.sha256(got.content).hexdigest() == file["sha256"]
    assert len(got.content) == file["size"]
    assert not any(secret in got.content for secret in (PLACE, DEVICE, COMMENT, b"script", b"html", b"xmpmeta"))
    image = Image.open(io.BytesIO(got.content))
    image.load()
    assert image.size == size
    assert not image.getexif()
    assert set(image.info) <= {"jfif", "jfif_version", "jfif_unit", "jfif_density", "transparency"}


def test_an_image_is_turned_upright(person: Person) -> None:
    image = Image.open(io.BytesIO(person.downloads(person.stores(photo(64, 48, orientation=6))["id"]).content))
    top, bottom = (image.convert("L").getpixel((24, row)) for row in (4, 60))
    assert isinstance(top, int)
    assert isinstance(bottom, int)
    assert top < 100 < bottom  # the left half of the camera's image is on top


@pytest.mark.cases("registry", "Y1")
def test_a_pdf_is_stored_as_sent(person: Person) -> None:
    sent = document()
    file = person.stores(sent)
    assert (file["media_type"], file["size"], file["width"]) == ("application/pdf", len(sent), None)
    got = person.downloads(file["id"])
    assert got.content == sent
    assert got.headers["Content-Type"] == "application/pdf"
    assert got.headers["Content-Disposition"] == f'attachment; filename="{file["id"]}.pdf"'
    assert got.headers["X-Content-Type-Options"] == "nosniff"
    assert got.headers["Content-Security-Policy"] == "default-src 'none'; sandbox"
    assert got.headers["Cache-Control"] == "no-store, private"


@pytest.mark.cases("registry", "Y2")
@pytest.mark.parametrize(
    "sent",
    [b"", b"x", SVG, b"<!doctype html><script>1</script>", b"GIF89a" + b"\0" * 50, b"PK\x03\x04" + b"\0" * 50,
     b"\0\0\0\x18ftypheic" + b"\0" * 50, b"\n%PDF-1.7" + document()[8:], b" " + photo(), b"RIFF\0\0\0\0WEBPVP8 "],
)  # fmt: skip
def test_a_file_of_any_other_type_is_rejected(person: Person, contents: Callable[[], set[str]], sent: bytes) -> None:
    before = contents()
    assert refusal(person.send(sent, Content_Type="image/png")) == (400, "file-type-unknown")
    assert contents() == before
    assert person.call.ok("GET", person.path)["pagination"]["total"] == 0


@pytest.mark.cases("registry", "Y2")
@pytest.mark.parametrize(
    "sent",
    [
        b"\x89PNG\r\n\x1a\n" + SVG,
        b"\x89PNG\r\n\x1a\n",
        b"\xff\xd8\xff" + b"<html><script>alert(1)</script>",
        b"\xff\xd8\xff\xe0",
        photo()[:300],
        drawing(500, 500)[:200],
        document()[:-40],
        document().replace(b"startxref\n", b"startxref\n9"),
        b"%PDF-1.7\n<script>alert(1)</script>\nstartxref\n9\n%%EOF",
        b"%PDF-9.9\n" + document()[9:],
        b"%PDF-1.7\n" + b"startxref " * 200_000,
    ],
)
def test_a_hostile_file_is_rejected(person: Person, contents: Callable[[], set[str]], sent: bytes) -> None:
    before = contents()
    assert refusal(person.send(sent)) == (400, "file-damaged")
    assert contents() == before
    assert person.call.ok("GET", person.path)["pagination"]["total"] == 0


@pytest.mark.cases("registry", "Y3")
@pytest.mark.parametrize("sent", [bomb(5001, 5000), bomb(60_000, 60_000, rows=5)])
def test_a_bomb_ends_its_decoder_and_nothing_else(person: Person, sent: bytes) -> None:
    assert refusal(person.send(sent)) == (400, "image-too-large")
    assert person.stores(photo())["media_type"] == "image/jpeg"


@pytest.mark.cases("registry", "Y4")
def test_only_the_person_and_staff_with_the_right_read_a_file(
    http: httpx.Client, issuer: Issuer, person: Person, sql: Sql
) -> None:
    id = person.stores(photo())["id"]
    paths = [person.path, f"{person.path}/{id}", f"{person.path}/{id}/content"]
    staff = RegistryClient(http, issuer.person(STAFF, realm_access={"roles": ["rmi:atendimento"]}))
    others = {
        "citizen": RegistryClient(http, issuer.person(new_cpf())),
        "staff": RegistryClient(http, issuer.person(STAFF, realm_access={"roles": ["busca:services:editor"]})),
        "machine": RegistryClient(http, issuer.machine("portal-cidadao", "smtr:read", "rmi:pessoa-fisica:read")),
    }
    for path in paths:
        assert {name: caller("GET", path).status_code for name, caller in others.items()} == dict.fromkeys(others, 403)
        assert RegistryClient(http)("GET", path).status_code == 401
    counted = "SELECT count(*) AS events FROM platform.audit_event WHERE operation = 'registry.download_file'"
    before = sql(counted)[0]["events"]
    assert [staff("GET", path).status_code for path in paths] == [200, 200, 200]
    assert sql(counted)[0]["events"] == before + 1
    assert staff("POST", person.path, photo()).status_code == 403
    assert staff("DELETE", f"{person.path}/{id}").status_code == 403


def test_a_foreign_file_looks_like_an_unknown_one(http: httpx.Client, issuer: Issuer, person: Person) -> None:
    other = Person(http, issuer)
    id = other.stores(photo())["id"]
    for path in (f"{person.path}/{id}", f"{person.path}/{id}/content"):
        assert refusal(person.call("GET", path)) == (404, "file-unknown")
        unknown = path.replace(id, "0190a5e4-7c1b-7d3e-8f00-3d1c2b4a5e00")
        assert person.call("GET", unknown).text == person.call("GET", path).text
    assert refusal(person.call("DELETE", f"{person.path}/{id}")) == (404, "file-unknown")
    assert refusal(person.call("GET", f"{person.path}/..%2f..%2fetc%2fpasswd/content"))[0] in {400, 404}
    assert other.downloads(id).status_code == 200


@pytest.mark.long
@pytest.mark.cases("registry", "Y5")
def test_a_repeated_call_stores_one_file(person: Person, contents: Callable[[], set[str]]) -> None:
    before, sent = contents(), photo()
    first = person.send(sent, Idempotency_Key="photo-1")
    assert person.send(sent, Idempotency_Key="photo-1").text == first.text
    assert refusal(person.send(document(), Idempotency_Key="photo-1")) == (409, "idempotency-key-reused")
    with ThreadPoolExecutor(6) as pool:
        answers = list(pool.map(lambda _: person.send(sent, Idempotency_Key="photo-2"), range(6)))
    assert {answer.status_code for answer in answers} == {201}
    assert len({answer.text for answer in answers}) == 1
    kept = {file["id"] for file in person.call.ok("GET", person.path)["data"]}
    assert kept == {first.json()["id"], answers[0].json()["id"]} == contents() - before


@pytest.mark.cases("registry", "Y8")
def test_an_unused_file_expires(person: Person, contents: Callable[[], set[str]], sql: Sql, drain: Drain) -> None:
    old, fresh = person.stores(photo())["id"], person.stores(document())["id"]
    age = "UPDATE registry.citizen_file SET unused_since = unused_since - interval '25 hours' WHERE id = $1"
    sql(age, old)
    run_jobs(sql, drain, "registry.delete_files")
    assert [file["id"] for file in person.call.ok("GET", person.path)["data"]] == [fresh]
    assert old not in contents()
    assert fresh in contents()
    assert person.call("DELETE", f"{person.path}/{fresh}").status_code == 204
    run_jobs(sql, drain, "registry.delete_files")
    assert fresh not in contents()
    assert sql("SELECT FROM registry.deleted_file") == []


@pytest.mark.cases("registry", "Y8")
async def test_a_file_in_use_remains(http: httpx.Client, issuer: Issuer, person: Person, platform: Platform) -> None:
    id = person.stores(document())["id"]
    foreign = Person(http, issuer).stores(document())["id"]
    owner, records = Cpf(person.cpf), [new_uuid(), new_uuid()]

    async def use(file: str, record: UUID) -> None:
        async with platform.database.transaction() as connection:
            await service.use_files(connection, owner, "photo", [UUID(file)], "vehicle", record)

    for unknown in (foreign, str(new_uuid())):
        with pytest.raises(Invalid) as refused:
            await use(unknown, records[0])
        assert refused.value.code == "file-not-own"
    for record in (*records, records[0]):
        await use(id, record)
    assert person.call.ok("GET", f"{person.path}/{id}")["expires_at"] is None
    async with platform.database.transaction() as connection:
        await connection.execute("UPDATE registry.citizen_file SET unused_since = '2026-01-01' WHERE id = $1", UUID(id))
        assert UUID(id) not in await store.delete_expired_files(connection, 100)
        await store.release_files(connection, owner, "vehicle", records[0])
    assert refusal(person.call("DELETE", f"{person.path}/{id}")) == (409, "file-in-use")
    async with platform.database.transaction() as connection:
        await store.release_files(connection, owner, "vehicle", records[1])
    assert person.call.ok("GET", f"{person.path}/{id}")["expires_at"] is not None
    assert person.call("DELETE", f"{person.path}/{id}").status_code == 204


@pytest.mark.cases("registry", "Y6")
def test_contents_without_a_row_are_swept_after_a_day(
    person: Person, contents: Callable[[], set[str]], settings: Settings, sql: Sql, drain: Drain
) -> None:
    kept = person.stores(document())["id"]
    folder = Path(settings.data_dir, "files", kept[-2:])
    old, new = (f"0190a5e4-7c1b-7d3e-8f00-3d1c2b4a{number}{kept[-2:]}" for number in ("01", "02"))
    for name in (old, new, f"{old}.part"):
        (folder / name).write_bytes(b"left over")
    for name in (old, f"{old}.part", kept):
        os.utime(folder / name, (1_700_000_000, 1_700_000_000))
    run_jobs(sql, drain, "registry.sweep_files")
    assert {old, f"{old}.part"}.isdisjoint(contents())
    assert {new, kept} <= contents()


@pytest.mark.cases("registry", "Y9")
def test_an_erasure_deletes_rows_and_contents(
    http: httpx.Client, issuer: Issuer, person: Person, contents: Callable[[], set[str]], sql: Sql, drain: Drain
) -> None:
    id = person.stores(photo())["id"]
    copy = person.call.ok("GET", f"/citizen/{person.cpf}/data-export")
    assert [file["download"] for file in copy["arquivos"]] == [f"/registry/v1{person.path}/{id}/content"]
    assert http.get(copy["arquivos"][0]["download"], headers=bearer(issuer.person(person.cpf))).status_code == 200
    path = f"/citizen/{person.cpf}/anonymisation"
    rehearsed = person.call.ok("POST", path, {"dry_run": True})
    assert {"kind": "files", "count": 1} in [
        {name: cleared[name] for name in ("kind", "count")} for cleared in rehearsed["cleared"]
    ]
    assert person.downloads(id).status_code == 200
    person.call.ok("POST", path, {"dry_run": False, "confirmation": rehearsed["confirmation"]})
    assert person.downloads(id).status_code == 404
    run_jobs(sql, drain, "registry.delete_files")
    assert id not in contents()


def test_a_person_has_a_limited_number_of_files(person: Person, sql: Sql) -> None:
    person.stores(document())
    sql(
        """INSERT INTO registry.citizen_file (cpf, id, media_type, size, digest)
        SELECT $1, gen_random_uuid(), 'application/pdf', 1, sha256('x') FROM generate_series(1, $2)""",
        person.cpf,
        service.MOST_FILES - 1,
    )
    assert refusal(person.send(document())) == (409, "file-limit")
    sql("DELETE FROM registry.citizen_file WHERE cpf = $1 AND size = 1", person.cpf)
    sql("UPDATE registry.citizen_file SET size = $2 WHERE cpf = $1", person.cpf, service.MOST_BYTES - 100)
    assert refusal(person.send(document())) == (409, "file-limit")


def test_content_that_differs_from_its_row_is_never_sent(person: Person, settings: Settings) -> None:
    id = person.stores(document())["id"]
    place = Path(settings.data_dir, "files", id[-2:], id)
    place.write_bytes(document(b"troca") + b" ")
    assert refusal(person.downloads(id)) == (503, "file-storage-down")
    place.unlink()
    assert refusal(person.downloads(id)) == (503, "file-storage-down")


def run_jobs(sql: Sql, drain: Drain, kind: str) -> None:
    """Run a job now that otherwise runs periodically."""
    sql("INSERT INTO queue.pgqueuer (priority, entrypoint, status) VALUES (0, $1, 'queued')", kind)
    drain()
