"""Avatars: built-in pictures, pictures that staff offer, and a citizen's choice (rules: registry 2.2)."""

import base64
import re
import struct
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from typing import Any
from xml.etree import ElementTree

import httpx
import msgspec
import pytest

from balcao import app
from balcao.core.audit.personal_data import Cleared
from balcao.core.context.platform import Platform
from balcao.core.values.cpf import Cpf
from balcao.registry.person.avatars.api import PERSONAL_DATA
from balcao.settings import Settings
from tests.registry.registry_client import RegistryClient, new_cpf
from tests.support.body_shapes import INSTANT, differences
from tests.support.fixture_types import Sql
from tests.support.issuer import Issuer
from tests.support.polling import PATIENCE
from tests.support.refusals import refusal
from tests.support.server import RunningServer
from tools import avatars

AVATAR = {"id": str, "name": str, "url": str, "is_active": bool, "created_at": INSTANT}
PAGE = {"data": [AVATAR], "page": int, "per_page": int, "total": int, "total_pages": int}
UNKNOWN = "019a7f00-0000-7000-8000-00000000ffff"
NONE = {"avatar_id": None, "avatar": None}
NEW = {"name": "Praça", "url": "https://figuras.example/praca.png"}


@pytest.fixture
def anonymous(http: httpx.Client) -> RegistryClient:
    return RegistryClient(http)


@pytest.fixture
def admin(http: httpx.Client, issuer: Issuer) -> RegistryClient:
    return RegistryClient(http, issuer.admin())


@pytest.fixture
def cpf() -> str:
    return new_cpf()


@pytest.fixture
def citizen(http: httpx.Client, issuer: Issuer, cpf: str) -> RegistryClient:
    return RegistryClient(http, issuer.person(cpf))


@pytest.fixture
def own(cpf: str) -> str:
    return f"/citizen/{cpf}/avatar"


@pytest.fixture
def made(admin: RegistryClient) -> Iterator[dict[str, Any]]:
    """Yield an avatar. The fixture withdraws it after the test."""
    avatar = admin.ok("POST", "/avatars", NEW)
    yield avatar
    admin.ok("DELETE", f"/avatars/{avatar['id']}")


def test_eight_avatars_are_there_by_name_in_flat_pages(anonymous: RegistryClient) -> None:
    answer = anonymous("GET", "/avatars")
    assert differences(answer.json(), PAGE) == []
    assert answer.headers["Cache-Control"] == "public, max-age=300"
    assert anonymous("GET", "/avatars", If_None_Match=answer.headers["ETag"]).status_code == 304
    whole = answer.json()
    assert [row["name"] for row in whole["data"]] == sorted(row["name"] for row in whole["data"])
    assert {name: whole[name] for name in ("page", "per_page", "total", "total_pages")} == {
        "page": 1,
        "per_page": 20,
        "total": 8,
        "total_pages": 1,
    }
    second = anonymous.ok("GET", "/avatars?page=2&per_page=3")
    assert (second["data"], second["total_pages"]) == (whole["data"][3:6], 3)
    assert anonymous.ok("GET", "/avatars?page=9")["data"] == []
    assert anonymous.ok("GET", "/avatars?per_page=500")["per_page"] == 100


@pytest.mark.parametrize("query", ["page=0", "page=x", "per_page=0", "per_page="])
def test_a_malformed_page_is_refused(anonymous: RegistryClient, query: str) -> None:
    assert anonymous("GET", f"/avatars?{query}").status_code == 400


def test_names_stand_without_regard_to_case_and_accents(anonymous: RegistryClient, admin: RegistryClient) -> None:
    made = [admin.ok("POST", "/avatars", NEW | {"name": name})["id"] for name in ("ábaco", "Ábaca", "zebra")]
    names = [row["name"] for row in anonymous.ok("GET", "/avatars")["data"]]
    for id_ in made:
        admin.ok("DELETE", f"/avatars/{id_}")
    assert (names[:3], names[-1]) == (["Ábaca", "ábaco", "Barco"], "zebra")


PNG_HEAD = b"\x89PNG\r\n\x1a\n"
# `Accept` headers from Next.js' image optimiser, from browsers (the optimiser forwards theirs) and from programs.
WITHOUT_SVG = (
    "",
    "*/*",
    "image/*",
    "image/avif,image/webp,*/*",
    "image/avif,image/webp,image/apng,image/svg+xml;q=0,*/*;q=0.8",
)
NAMING_SVG = ("image/svg+xml", "image/avif,Image/SVG+XML;q=0.9,*/*;q=0.8")


@pytest.mark.parametrize("accept", WITHOUT_SVG)
def test_every_built_in_picture_is_a_png_unless_svg_is_asked_for(anonymous: RegistryClient, accept: str) -> None:
    bodies = set()
    for avatar in anonymous.ok("GET", "/avatars")["data"]:
        path = f"/avatars/{avatar['id']}/image"
        response = anonymous("GET", path, Accept=accept)
        assert response.headers["Content-Type"] == "image/png"
        assert int(response.headers["Content-Length"]) == len(response.content)
        assert response.headers["Cache-Control"] == "public, max-age=86400"
        assert "Accept" in response.headers.get_list("Vary")
        assert response.headers["X-Content-Type-Options"] == "nosniff"
        assert response.content.startswith(PNG_HEAD)
        assert struct.unpack(">II", response.content[16:24]) == (256, 256)
        again = anonymous("GET", path, Accept=accept, If_None_Match=response.headers["ETag"])
        assert again.status_code == 304
        assert "Accept" in again.headers.get_list("Vary")
        bodies.add(response.content)
    assert len(bodies) == 8


def test_without_tls_the_address_of_a_picture_is_the_picture(anonymous: RegistryClient) -> None:
    """Portals show only pictures whose address is an `https` or `data:` URL."""
    for avatar in anonymous.ok("GET", "/avatars")["data"]:
        head, _, encoded = avatar["url"].partition(",")
        assert head == "data:image/svg+xml;base64"
        svg = anonymous("GET", f"/avatars/{avatar['id']}/image", Accept="image/svg+xml").content
        assert base64.b64decode(encoded) == svg


def test_with_tls_the_address_is_the_platforms_own(settings: Settings, database_url: str) -> None:
    secure = settings.model_copy(update={"public_url": "https://balcao.cidade.example"})
    with (
        RunningServer(app.build_application(secure, database_url, ["registry"])) as alone,
        httpx.Client(base_url=alone.url, timeout=PATIENCE) as http,
    ):
        for avatar in http.get("/v1/avatars").json()["data"]:
            assert avatar["url"] == f"https://balcao.cidade.example/registry/v1/avatars/{avatar['id']}/image"


def test_the_pictures_are_drawn_from_their_sources() -> None:
    for source in avatars.FOLDER.glob("*.svg"):
        assert avatars.draw(source) == source.with_suffix(".png").read_bytes(), "run `python -m tools.avatars`"


@pytest.mark.parametrize("accept", NAMING_SVG)
def test_the_svg_of_a_picture_is_a_drawing_that_does_nothing(anonymous: RegistryClient, accept: str) -> None:
    bodies = set()
    for avatar in anonymous.ok("GET", "/avatars")["data"]:
        path = f"/avatars/{avatar['id']}/image"
        answer = anonymous("GET", path, Accept=accept)
        assert answer.headers["Content-Type"] == "image/svg+xml"
        assert answer.headers["Cache-Control"] == "public, max-age=86400"
        assert "Accept" in answer.headers.get_list("Vary")
        assert answer.headers["Content-Security-Policy"] == "default-src 'none'; sandbox"
        assert answer.headers["X-Content-Type-Options"] == "nosniff"
        assert anonymous("GET", path, Accept=accept, If_None_Match=answer.headers["ETag"]).status_code == 304
        assert anonymous("GET", path, Accept="*/*", If_None_Match=answer.headers["ETag"]).status_code == 200
        elements = list(ElementTree.fromstring(answer.content).iter())  # noqa: S314 - our own figures
        kinds = {element.tag.partition("}")[2] for element in elements}
        assert kinds <= {"svg", "title", "g", "path", "circle", "clipPath"}
        assert not [name for element in elements for name in element.attrib if re.match("on|.*href|style", name)]
        bodies.add(answer.content)
    assert len(bodies) == 8


@pytest.mark.parametrize("id_", [UNKNOWN, "1", "a%00b", "barco", "x" * 300])
def test_an_unknown_figure_is_not_found(anonymous: RegistryClient, id_: str) -> None:
    assert refusal(anonymous("GET", f"/avatars/{id_}/image")) == (404, "avatar-unknown")


def test_a_figures_path_leads_nowhere_else(anonymous: RegistryClient) -> None:
    assert refusal(anonymous("GET", "/avatars/%2e%2e/image")) == (404, "not-found")


def test_another_avatar_lies_at_its_own_address(anonymous: RegistryClient, made: dict[str, Any]) -> None:
    assert differences(made, AVATAR) == []
    assert (made["name"], made["url"], made["is_active"]) == (NEW["name"], NEW["url"], True)
    assert made in anonymous.ok("GET", "/avatars")["data"]
    assert refusal(anonymous("GET", f"/avatars/{made['id']}/image")) == (404, "avatar-unknown")


NO_ADDRESSES = (
    "http://figuras.example/a.png",
    "javascript:alert(1)",
    "data:image/png;base64,AA==",
    "//figuras.example/a.png",
    "https://",
    "https:///a.png",
    "https://u:p@figuras.example/a.png",
    "https://figuras.example:99999/a.png",
    "https://figuras.example/a b.png",
    'https://figuras.example/"onload=',
    "https://[figuras.example/",
)
REFUSED: list[tuple[str, Any, str]] = [
    *(("name", name, "name-length") for name in ("", "  ", "x" * 101)),
    ("name", "a\u0000", "name-control"),
    *(("url", url, "url-invalid") for url in NO_ADDRESSES),
    *(("url", url, "url-length") for url in ("", "https://figuras.example/" + "a" * 2048)),
    *((member, wrong, "body-invalid") for member in ("name", "url") for wrong in (None, 5)),
]


@pytest.mark.parametrize(("member", "wrong", "code"), REFUSED, ids=range(len(REFUSED)))
def test_a_malformed_avatar_is_refused_naming_the_member(
    admin: RegistryClient, anonymous: RegistryClient, member: str, wrong: Any, code: str
) -> None:
    answer = admin("POST", "/avatars", NEW | {member: wrong})
    assert (*refusal(answer), f"`{member}`" in answer.json()["error"]) == (400, code, True)
    assert anonymous.ok("GET", "/avatars")["total"] == 8


@pytest.mark.parametrize(
    ("method", "path", "body"), [("POST", "/avatars", NEW), ("DELETE", f"/avatars/{UNKNOWN}", None)]
)
def test_offering_them_needs_the_action(
    http: httpx.Client,
    issuer: Issuer,
    anonymous: RegistryClient,
    admin: RegistryClient,
    method: str,
    path: str,
    body: Any,
) -> None:
    assert anonymous(method, path, body).status_code == 401
    assert RegistryClient(http, issuer.person(new_cpf()))(method, path, body).status_code == 403
    assert RegistryClient(http, issuer.machine("portal-cidadao"))(method, path, body).status_code == 403


@pytest.mark.parametrize(("method", "body"), [("GET", None), ("PUT", {"avatar_id": None})])
def test_who_may_choose(
    http: httpx.Client, issuer: Issuer, citizen: RegistryClient, admin: RegistryClient, own: str, method: str, body: Any
) -> None:
    assert RegistryClient(http)(method, own, body).status_code == 401
    assert RegistryClient(http, issuer.person("90000000256"))(method, own, body).status_code == 403
    assert refusal(admin(method, "/citizen/123/avatar", body)) == (400, "cpf-invalid")
    assert admin(method, own, body).json() == NONE
    answer = citizen(method, own, body)
    assert (answer.status_code, answer.json(), answer.headers["Cache-Control"]) == (200, NONE, "no-store, private")


def test_a_choice_shows_at_once_and_null_removes_it(
    citizen: RegistryClient, own: str, made: dict[str, Any], anonymous: RegistryClient
) -> None:
    built_in = anonymous.ok("GET", "/avatars")["data"][0]
    for avatar in (built_in, made):
        chosen = {"avatar_id": avatar["id"], "avatar": avatar}
        assert citizen.ok("PUT", own, {"avatar_id": avatar["id"]}) == chosen == citizen.ok("GET", own)
    for _ in range(2):
        assert citizen.ok("PUT", own, {"avatar_id": None}) == NONE == citizen.ok("GET", own)


WRONG: list[tuple[Any, int, str]] = [
    *(({"avatar_id": id_}, 404, "avatar-unknown") for id_ in (UNKNOWN, "barco", "")),
    ({"avatar_id": "a\u0000"}, 400, "avatar_id-control"),
    *((body, 400, "body-invalid") for body in ({}, {"avatar_id": 5})),
    (b"", 400, "body-missing"),
    (b"[]", 400, "body-not-object"),
]


@pytest.mark.parametrize(("body", "status", "code"), WRONG, ids=range(len(WRONG)))
def test_a_wrong_choice_keeps_the_one_before(
    citizen: RegistryClient, own: str, made: dict[str, Any], body: Any, status: int, code: str
) -> None:
    citizen.ok("PUT", own, {"avatar_id": made["id"]})
    assert refusal(citizen("PUT", own, body)) == (status, code)
    assert citizen.ok("GET", own)["avatar"] == made


def test_taken_off_the_list_it_is_cleared_from_every_citizen(
    http: httpx.Client,
    issuer: Issuer,
    admin: RegistryClient,
    anonymous: RegistryClient,
    citizen: RegistryClient,
    own: str,
    sql: Sql,
) -> None:
    id_ = admin.ok("POST", "/avatars", NEW)["id"]
    other = new_cpf()
    citizen.ok("PUT", own, {"avatar_id": id_})
    RegistryClient(http, issuer.person(other)).ok("PUT", f"/citizen/{other}/avatar", {"avatar_id": id_})
    first, again = admin("DELETE", f"/avatars/{id_}"), admin("DELETE", f"/avatars/{id_}")
    assert (first.status_code, again.status_code) == (204, 204)
    assert (first.content, "Content-Type" in first.headers) == (b"", False)
    assert citizen.ok("GET", own) == NONE
    assert sql("SELECT FROM registry.settings WHERE avatar_id IS NOT NULL AND avatar_id::text = $1", id_) == []
    assert id_ not in {row["id"] for row in anonymous.ok("GET", "/avatars")["data"]}
    assert refusal(citizen("PUT", own, {"avatar_id": id_})) == (404, "avatar-unknown")


@pytest.mark.parametrize("id_", [UNKNOWN, "1", "a%00b"])
def test_an_unknown_avatar_cannot_be_taken_off(admin: RegistryClient, id_: str) -> None:
    assert refusal(admin("DELETE", f"/avatars/{id_}")) == (404, "avatar-unknown")


def test_nobody_is_left_with_an_avatar_taken_off_while_they_chose_it(
    http: httpx.Client, issuer: Issuer, admin: RegistryClient, sql: Sql
) -> None:
    id_ = admin.ok("POST", "/avatars", NEW)["id"]
    people = [new_cpf() for _ in range(12)]
    talks = [RegistryClient(http, issuer.person(cpf)) for cpf in people]

    def act(number: int) -> int:
        if number == 6:
            return admin("DELETE", f"/avatars/{id_}").status_code
        return talks[number]("PUT", f"/citizen/{people[number]}/avatar", {"avatar_id": id_}).status_code

    with ThreadPoolExecutor(6) as threads:
        statuses = list(threads.map(act, range(12)))
    assert statuses[6] == 204
    assert set(statuses) <= {200, 204, 404}
    assert sql("SELECT FROM registry.settings WHERE avatar_id::text = $1", id_) == []


def test_every_write_and_every_foreign_read_leaves_its_event(
    admin: RegistryClient, own: str, made: dict[str, Any], sql: Sql
) -> None:
    admin.ok("PUT", own, {"avatar_id": made["id"]})
    admin.ok("GET", own)
    events = sql("SELECT operation, action, fields FROM platform.audit_event ORDER BY at DESC LIMIT 3")
    assert [tuple(event) for event in events[::-1]] == [
        ("registry.create_avatar", "create", ["avatar"]),
        ("registry.choose_avatar", "update", ["avatar_id"]),
        ("registry.read_avatar_choice", "read", ["avatar"]),
    ]


async def test_the_choice_is_exported_and_erased_by_an_anonymisation_which_keeps_the_rest(platform: Platform) -> None:
    cpf = Cpf(new_cpf())
    async with platform.database.transaction() as connection:
        assert await PERSONAL_DATA.export(connection, cpf) == {"avatar": None}
        id_ = await connection.fetchval("SELECT id FROM registry.avatar WHERE name = 'Tucano'")
        await connection.execute("INSERT INTO registry.settings VALUES ($1, false, $2)", cpf.digits, id_)
        exported = await PERSONAL_DATA.export(connection, cpf)
        assert msgspec.to_builtins(exported) == {"avatar": {"id": str(id_), "name": "Tucano"}}
        assert PERSONAL_DATA.erase
        erased = [await PERSONAL_DATA.erase(connection, cpf, datetime.now(UTC)) for _ in range(2)]
        assert erased == [[Cleared("avatar", 1, ["avatar_id"])], [Cleared("avatar", 0, ["avatar_id"])]]
        kept = await connection.fetchrow(
            "SELECT firstlogin, avatar_id FROM registry.settings WHERE cpf = $1", cpf.digits
        )
        assert tuple(kept) == (False, None)
