"""The check endpoint for external gateways, over HTTP (rules: access 4.6)."""

from collections.abc import Callable, Iterator
from http.client import HTTPConnection
from urllib.parse import urlsplit

import httpx
import pytest

from balcao import app
from balcao.access.decisions import check
from balcao.core.access import catalogue
from balcao.core.access.catalogue import Catalogue
from balcao.core.access.rules import Reason
from balcao.core.errors import Unavailable
from balcao.settings import Settings
from tests.access import stored
from tests.access.callers import BASE, CITIZEN, EDITOR, SUPERADMIN, Send, sender
from tests.access.test_explain import make_invoices
from tests.support.issuer import Issuer, bearer
from tests.support.polling import PATIENCE
from tests.support.server import RunningServer

CHECK = f"{BASE}/check"
PUBLIC = "/registry/v1/citizen/gender/options"
PETS = f"/registry/v1/citizen/{CITIZEN}/pets"
NO_ONE = "9" * 11


@pytest.fixture(scope="module")
def settings(issuer: Issuer, tmp_path_factory: pytest.TempPathFactory) -> Settings:
    """Return settings that trust a proxy on this machine, so that a test can choose the caller's address."""
    folder = tmp_path_factory.mktemp("data")
    return Settings(auth_issuer=issuer.address, data_dir=folder, trusted_proxies_csv="127.0.0.1")


@pytest.fixture
def superadmin(http: httpx.Client, issuer: Issuer) -> Send:
    return sender(http, issuer.person(SUPERADMIN, realm_access={"roles": ["superadmin"]}))


def outcome(answer: httpx.Response) -> tuple[int, str, str]:
    assert answer.headers["Cache-Control"] == "no-store"
    assert (answer.content == b"") == (answer.status_code == 200)
    return answer.status_code, answer.headers["X-Access-Decision"], answer.headers["X-Access-Reason"]


def ask(http: httpx.Client, method: str, path: str, **headers: str) -> Iterator[tuple[int, str, str]]:
    """Call the endpoint in every way that a gateway may use, and yield the outcomes."""
    yield outcome(http.request(method, CHECK + path, headers=headers))
    for names in (("X-Original-Method", "X-Original-URI"), ("X-Forwarded-Method", "X-Forwarded-Uri")):
        named = dict(zip(names, (method, path), strict=True))
        yield outcome(http.get(CHECK, headers=headers | named))
        yield outcome(http.post(f"{CHECK}/", headers=headers | named, content=b"not read"))


@pytest.mark.cases("access", "43")
def test_whichever_way_it_is_asked_the_answer_is_the_catalogues(
    http: httpx.Client, issuer: Issuer, superadmin: Send
) -> None:
    made = make_invoices(superadmin)
    editor, citizen = bearer(issuer.person(EDITOR)), bearer(issuer.person(CITIZEN))
    asked = [
        ("GET", f"{made['path']}/7?page=1", editor, (200, "allow", "granted")),
        ("DELETE", f"{made['path']}/7", editor, (403, "deny", "no_mapping")),
        ("GET", f"{made['path']}/7", citizen, (403, "deny", "not_granted")),
        ("GET", f"{made['path']}/7", {}, (401, "deny", "no_token")),
        ("GET", f"{made['path']}/7", {"Authorization": "Bearer a.b.c"}, (401, "deny", "invalid_token")),
        ("GET", PETS, citizen, (200, "allow", "owner")),
        ("GET", PUBLIC, {}, (200, "allow", "public")),
        ("GET", PUBLIC, {"Authorization": "Bearer a.b.c"}, (200, "allow", "public")),
        ("POST", "/nobody/mapped/this", editor, (403, "deny", "no_mapping")),
    ]
    for method, path, headers, expected in asked:
        assert set(ask(http, method, path, **headers)) == {expected}, (method, path)


@pytest.fixture
def raw(server: RunningServer) -> Callable[[str, str], tuple[int, str]]:
    """Return a function that sends a path without normalising it, and returns the status and the access reason."""

    def send(path: str, token: str) -> tuple[int, str]:
        connection = HTTPConnection(urlsplit(server.url).netloc, timeout=PATIENCE)
        connection.putrequest("GET", path, skip_accept_encoding=True)
        connection.putheader("Authorization", f"Bearer {token}")
        connection.endheaders()
        answer = connection.getresponse()
        answer.read()
        connection.close()
        return answer.status, answer.getheader("X-Access-Reason", "")

    return send


@pytest.mark.cases("access", "30")
def test_a_path_that_could_be_read_in_two_ways_never_passes(http: httpx.Client, issuer: Issuer) -> None:
    admin = bearer(issuer.admin())
    for path in ("/access/api/v1/actions%2F1", "/access//api/v1/actions/1", "/access/x/../api/v1/actions/1", "", "x"):
        assert outcome(http.get(CHECK, headers=admin | {"X-Original-URI": path}))[0] == 403


@pytest.mark.parametrize("check_path", [CHECK, f"{BASE}/check-token"])
@pytest.mark.parametrize(
    "path",
    [
        "/access/api/v1/actions%2F1", "/access//api/v1/actions/1", "//access/api/v1/actions/1", "/x%zz", "/%",
        "/access/x/%2e%2e/api/v1/actions/1", "/a/./b", "/a\\b", "/a%5Cb", "/%2F", "//",
    ],
)  # fmt: skip
def test_a_malformed_path_is_refused_as_one_that_nobody_mapped(
    raw: Callable[[str, str], tuple[int, str]], issuer: Issuer, check_path: str, path: str
) -> None:
    """The check never responds with 404, because a gateway would treat a 404 as its own error."""
    expected = (403, "no_mapping") if check_path == CHECK else (200, "no_mapping")
    assert raw(check_path + path, issuer.admin()) == expected
    outside = raw("/access/api/v1/actions" + path, issuer.admin())
    assert outside[0] == 404


def test_the_headers_say_what_was_decided_and_never_a_cpf(http: httpx.Client, issuer: Issuer) -> None:
    by_number = issuer.person(CITIZEN, sub=f"f:{CITIZEN}\nX: é")
    answer = http.get(CHECK + PETS, headers=bearer(by_number))
    headers = {name: value for name, value in answer.headers.items() if name.startswith("x-")}
    assert (headers["x-access-action"], headers["x-access-subject"]) == ("pets:read", "f:***%0AX: %C3%A9")
    assert headers["x-access-mapping"].isdigit()
    assert headers["x-catalogue-version"].isdigit()
    assert CITIZEN not in str(answer.headers)


@pytest.mark.cases("access", "45")
def test_nobody_from_elsewhere_learns_that_the_endpoint_exists(http: httpx.Client, issuer: Issuer) -> None:
    outside = {"X-Forwarded-For": "203.0.113.7"} | bearer(issuer.person(CITIZEN))
    unknown = http.get(f"{BASE}/no/such/path", headers=outside)
    for path in (CHECK, CHECK + PETS, CHECK + PUBLIC):
        answer = http.get(path, headers=outside)
        assert (answer.status_code, answer.json()) == (404, unknown.json())
        assert not [name for name in answer.headers if name.startswith("x-access")]
    assert http.get(CHECK + PETS, headers=outside | {"X-Forwarded-For": "10.1.2.3"}).status_code == 200


@pytest.mark.parametrize(
    ("peer", "networks", "served"),
    [
        ("127.0.0.1", check.PRIVATE_NETWORKS, True),
        ("::/64", check.PRIVATE_NETWORKS, True),
        ("2001:db8::/64", check.PRIVATE_NETWORKS, False),
        ("2001:db8::/64", "2001:db8::7", True),
        ("192.0.2.1", "192.0.2.0/31, 10.0.0.0/8", True),
        ("192.0.2.2", "192.0.2.0/31", False),
        ("", check.PRIVATE_NETWORKS, False),
    ],
)
def test_the_networks_are_those_of_the_setting(peer: str, networks: str, *, served: bool) -> None:
    assert check._is_gateway(peer, networks) is served


def test_what_nobody_foresaw_is_a_503(http: httpx.Client, issuer: Issuer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(check, "decide_match", lambda *_: 1 / 0)
    answer = http.get(CHECK + PETS, headers=bearer(issuer.person(CITIZEN)))
    assert outcome(answer) == (503, "deny", "stale_snapshot")
    assert set(answer.json()) == {"detail"}


@pytest.mark.cases("access", "44")
def test_an_unconfirmed_catalogue_lets_nobody_pass_but_to_what_is_public(
    http: httpx.Client, issuer: Issuer, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def fail(_: Catalogue) -> None:
        raise Unavailable

    monkeypatch.setattr(Catalogue, "reload", fail)
    monkeypatch.setattr(catalogue, "USABLE_SECONDS", -1.0)
    citizen = bearer(issuer.person(CITIZEN))
    assert set(ask(http, "GET", PETS, **citizen)) == {(503, "deny", Reason.STALE_SNAPSHOT.value)}
    assert http.get(PETS, headers=citizen).status_code == 503
    assert set(ask(http, "GET", PUBLIC)) == {(200, "allow", "public")}
    assert set(ask(http, "GET", "/nobody/mapped/this")) == {(403, "deny", "no_mapping")}


@pytest.mark.cases("access", "43")
def test_an_unmapped_path_called_directly_is_unknown(http: httpx.Client) -> None:
    assert http.get(f"/{stored.make_name()}").status_code == 404


def test_for_the_gateway_before_the_platform_only_the_token_counts(http: httpx.Client, issuer: Issuer) -> None:
    """This check refuses only a missing or invalid token. Rights and unmapped paths are left to the platform."""
    token = f"{BASE}/check-token"
    citizen, admin = bearer(issuer.person(CITIZEN)), bearer(issuer.admin())
    asked: list[tuple[str, dict[str, str], tuple[int, str, str], str | None]] = [
        (PETS, {}, (401, "deny", "no_token"), "unauthenticated"),
        (PETS, bearer("a.b.c"), (401, "deny", "invalid_token"), "token-invalid"),
        (PETS, citizen, (200, "allow", "owner"), None),
        (f"{BASE}/actions", citizen, (200, "deny", "not_granted"), None),
        ("/nobody/mapped/this", admin, (200, "deny", "no_mapping"), None),
        (PUBLIC, bearer("a.b.c"), (200, "allow", "public"), None),
    ]
    for path, headers, expected, code in asked:
        answers = [
            http.get(token + path, headers=headers),
            http.post(token, headers=headers | {"X-Original-Method": "GET", "X-Original-URI": path}, content=b"unread"),
        ]
        assert [outcome(answer) for answer in answers] == [expected] * 2
        assert {answer.headers.get("Error-Code") for answer in answers} == {code}
    outside = {"X-Forwarded-For": "203.0.113.7"} | admin
    assert http.get(token + PETS, headers=outside).status_code == 404


def test_who_is_refused_too_often_is_known_by_the_address_that_the_gateway_names(
    settings: Settings, database_url: str, issuer: Issuer
) -> None:
    strict = settings.model_copy(update={"refused_rate": "3/minute"})
    webhook = "/registry/v1/webhooks/crm/cidadao"
    with (
        RunningServer(app.build_application(strict, database_url)) as server,
        httpx.Client(base_url=server.url, timeout=PATIENCE) as http,
    ):

        def ask(address: str, path: str = PETS, method: str = "GET", **headers: str) -> int:
            named = {"X-Original-Address": address} if address else {}
            asked = {"X-Original-Method": method, "X-Original-URI": path}
            return http.get(f"{BASE}/check-token", headers=asked | named | headers).status_code

        assert [ask("") for _ in range(5)] == [401] * 5  # without a caller's address, the refusal limit does not apply
        assert [ask("192.0.2.7") for _ in range(4)] == [401] * 3 + [429]
        assert [ask("2001:db8:0:1::1"), ask("2001:db8:0:1::2"), ask("2001:db8:0:1::3")] == [401] * 3
        assert (ask("2001:db8:0:1::4"), ask("2001:db8:0:2::4"), ask("::ffff:192.0.2.7")) == (429, 401, 429)
        assert (ask("192.0.2.7", webhook, "POST"), ask("192.0.2.8")) == (401, 401)
        assert ask("192.0.2.7", **bearer(issuer.person(CITIZEN))) == 200
