"""HAProxy, nginx and Envoy, with their generated configuration and two servers each, preserve the contract."""

import dataclasses
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Literal
from uuid import UUID, uuid4

import httpx
import pytest
from joserfc.jwk import RSAKey

from balcao import app
from balcao.core.context.processes import SINGLE_PROCESS
from balcao.developer_portal import own_calls
from balcao.operate.deploy.answers import Server
from balcao.operate.deploy.gateways import Plan
from balcao.operate.gateway_config import fetch_signing_keys
from balcao.panel import standalone
from balcao.panel.areas import PAGES
from balcao.settings import Settings
from balcao.site.mine.parts import PARTS
from tests.access.callers import CITIZEN, EDITOR, SUPERADMIN, sender
from tests.access.test_explain import make_invoices
from tests.contract.table import CASES, Case
from tests.contract.test_contract import check
from tests.support import databases
from tests.support.demo_people import ANA, BRUNO
from tests.support.gateways import Certificate, running
from tests.support.issuer import Issuer, bearer, new_key
from tests.support.polling import until_now
from tests.support.proof_sizes import FULL
from tests.support.sandbox import IndependentTokens, Sandbox
from tests.support.sandbox import running as running_sandbox
from tests.support.server import UNLIMITED, RunningServer, free_port

ORIGIN = "https://portal.cidade.example"
GENDERS = "/registry/v1/citizen/gender/options"
PETS = f"/registry/v1/citizen/{ANA}/pets"
# In a proof, each gateway has its own platform, because the complete table changes the data permanently.
SCOPE: Literal["function", "module"] = "function" if FULL else "module"


class Application(BaseHTTPRequestHandler):
    """A city application behind the gateway. It returns the caller whom the gateway reports."""

    def do_GET(self) -> None:
        said = (self.headers.get("X-Access-Subject") or "").encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(said)))
        self.end_headers()
        self.wfile.write(said)

    do_POST = do_GET  # noqa: N815 - the name is set by the library

    def log_message(self, *_: object) -> None:
        return


@pytest.fixture(scope="module")
def application() -> Iterator[Server]:
    with ThreadingHTTPServer(("127.0.0.1", 0), Application) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield Server("127.0.0.1", server.server_address[1])
        server.shutdown()


@pytest.fixture(scope=SCOPE)
def behind(issuer: Issuer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Sandbox, list[Server]]]:
    """Yield a platform with the demo people on two ports. It trusts proxies on this machine."""
    name = databases.new_name()
    settings = Settings(
        data_dir=tmp_path_factory.mktemp("data"),
        port=free_port(),
        auth_issuer=issuer.address,
        trusted_proxies_csv="127.0.0.1",
        cors_origins_csv=ORIGIN,
        panel=False,
        panel_url="https://painel.cidade.example",
        refused_rate=UNLIMITED,
    )
    database_url = databases.create(name)
    with (
        running_sandbox(settings, database_url, IndependentTokens(issuer)) as sandbox,
        RunningServer(app.build_application(settings, database_url)) as second,
    ):
        yield sandbox, [Server("127.0.0.1", settings.port), Server("127.0.0.1", second.port)]
    databases.drop(name)


@pytest.fixture(scope=SCOPE)
def panel(behind: tuple[Sandbox, list[Server]]) -> Iterator[Server]:
    """Yield the panel, which runs as a separate server."""
    sandbox = behind[0]
    with RunningServer(standalone.build(sandbox.settings, sandbox.database_url, SINGLE_PROCESS)) as server:
        yield Server("127.0.0.1", server.port)


@pytest.fixture(
    scope="module",
    params=[
        pytest.param("haproxy", marks=pytest.mark.haproxy),
        pytest.param("nginx", marks=pytest.mark.nginx),
        pytest.param("envoy", marks=pytest.mark.validators),
    ],
)
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope=SCOPE)
def gateway(
    kind: str,
    behind: tuple[Sandbox, list[Server]],
    panel: Server,
    application: Server,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[httpx.Client]:
    sandbox, servers = behind
    folder = tmp_path_factory.mktemp(kind)
    folder.chmod(0o755)
    certificate = Certificate(folder)
    plan = Plan(
        sandbox.settings,
        app.SERVICES,
        servers,
        certificate.frontend(free_port()),
        {"panel": [panel]},
        applications={} if kind == "haproxy" else {"/teste:": application},
        keys=fetch_signing_keys(sandbox.settings),
    )
    with running(kind, plan, folder, certificate) as client:
        yield client


@pytest.mark.long
def test_the_panel_is_reached_in_the_processes_of_its_own_and_no_token_is_asked_for(gateway: httpx.Client) -> None:
    assert gateway.get("/painel/readiness").json()["service"] == "panel"
    for headers in ({}, {"Authorization": "Bearer eyJ.eyJ.x"}):
        answer = gateway.get("/painel/servicos?aba=x", headers=headers)
        assert (answer.status_code, answer.headers["location"]) == (
            303,
            "/painel/entrar?para=/painel/servicos%3Faba%3Dx",
        )
    assert gateway.get("/painelzinho").status_code == 404


@pytest.mark.long
def test_the_panels_largest_form_passes_and_more_does_not(gateway: httpx.Client) -> None:
    largest = max(PAGES.values(), key=lambda page: page.body_limit)
    address = largest.address(**dict.fromkeys(largest.parameters, "1"))
    form = {"Content-Type": "application/x-www-form-urlencoded"}
    sizes = ((largest.body_limit - 1_000, 401), (largest.body_limit + 1, 413), (largest.body_limit + 4_000_000, 413))
    for much, status in sizes * 3:  # repeat, because a fault could affect every second response
        answer = gateway.post(address, content=b"a=" + b"b" * (much - 2), headers=form)
        assert answer.status_code == status, (address, much)
        assert "<html" in answer.text


def test_the_photos_of_citizens_pass_and_no_token_is_asked_for(gateway: httpx.Client) -> None:
    """Without a session, the site's page answers 401."""
    largest = max((page for part in PARTS for page in part.declared), key=lambda page: page.body_limit)
    address = largest.address(**dict.fromkeys(largest.parameters, "1"))
    form = {"Content-Type": "application/x-www-form-urlencoded", "Authorization": "Bearer eyJ.eyJ.x"}
    for much, status in ((largest.body_limit - 1_000, 401), (largest.body_limit + 4_000_000, 413)) * 3:
        answer = gateway.post(address, content=b"a=" + b"b" * (much - 2), headers=form)
        assert answer.status_code == status, (address, much)
        assert "<html" in answer.text


def choose(cases: list[Case]) -> list[Case]:
    """Return the complete table in a proof, and otherwise only the rows that change nothing.

    In a proof, each gateway has its own platform.
    """
    return cases if FULL else [case for case in cases if case.method == "GET" or case.status in {400, 401, 403, 422}]


def test_the_contract_table_holds_through_it(gateway: httpx.Client, behind: tuple[Sandbox, list[Server]]) -> None:
    through = dataclasses.replace(behind[0])
    through.__dict__["http"] = gateway
    faults = [f"{case}: {fault}" for case in choose(CASES) for fault in check(through, case)]
    assert faults == []


def test_a_token_that_is_not_good_is_refused_as_the_service_would(
    gateway: httpx.Client, behind: tuple[Sandbox, list[Server]], issuer: Issuer
) -> None:
    """HAProxy verifies tokens without the platform. The other gateways ask it."""
    good = issuer.person(ANA)
    head, claims, signature = good.split(".")
    _, other_claims, _ = issuer.person(BRUNO).split(".")
    bad = {
        "another's claims": f"{head}.{other_claims}.{signature}",
        "no signature": f"{head}.{claims}.",
        "signed by somebody else": issuer.person(ANA, key=_with_the_name_of(issuer)),
        "ended": issuer.person(ANA, exp=1),
    }
    assert gateway.get(PETS, headers=bearer(good)).status_code == 200
    for name, token in bad.items():
        answers = [http.get(PETS, headers=bearer(token)) for http in (gateway, behind[0].http)]
        assert [answer.status_code for answer in answers] == [401, 401], name
        assert answers[0].content == answers[1].content
        assert answers[0].headers["Error-Code"] == answers[1].headers["Error-Code"]
        assert answers[0].headers["WWW-Authenticate"] == "Bearer"
        assert gateway.get(GENDERS, headers=bearer(token)).status_code == 200  # a public operation ignores the token


def _with_the_name_of(issuer: Issuer) -> RSAKey:
    """Return a new key with the id of one of the issuer's published keys."""
    return RSAKey.import_key(new_key().as_pem(private=True), {"kid": str(issuer.keys[-1].kid)})


def test_a_rotation_of_the_providers_keys_refuses_no_good_token_and_lets_no_other_pass(
    gateway: httpx.Client, issuer: Issuer, request: pytest.FixtureRequest
) -> None:
    """HAProxy has only the keys from before. It forwards a token with an unknown key id to the platform."""
    before = issuer.person(ANA)
    issuer.keys.append(new_key())
    request.addfinalizer(issuer.keys.pop)
    assert gateway.get(PETS, headers=bearer(issuer.person(ANA))).status_code == 200
    assert gateway.get(PETS, headers=bearer(before)).status_code == 200
    for unknown in (issuer.person(ANA, key=new_key()), issuer.person(ANA, key=_with_the_name_of(issuer))):
        assert gateway.get(PETS, headers=bearer(unknown)).status_code == 401


@pytest.mark.long
def test_a_body_beyond_the_limit_is_refused_as_the_service_would(
    gateway: httpx.Client, behind: tuple[Sandbox, list[Server]], issuer: Issuer
) -> None:
    sent = b'{"a": "' + b"a" * 5 * 1024 * 1024 + b'"}'
    for path, token, status in (
        ("/registry/v1/webhooks/crm/cidadao", issuer.machine("crm-sandbox"), 400),
        (PETS, issuer.person(ANA), 413),
        ("/jobs/api/v1/empregos", issuer.admin(), 413),
        ("/agent/api/v1/datasets", issuer.admin(), 413),
    ):
        headers = bearer(token) | {"Content-Type": "application/json"}
        answer, own = (http.post(path, content=sent, headers=headers) for http in (gateway, behind[0].http))
        assert (answer.status_code, answer.content) == (own.status_code, own.content)
        assert answer.status_code == status
        assert answer.headers["Error-Code"] == own.headers["Error-Code"]
        assert UUID(answer.headers["X-Request-ID"])


def test_a_form_of_the_portal_beyond_the_limit_is_refused_by_a_page_where_a_browser_sent_it(
    gateway: httpx.Client, behind: tuple[Sandbox, list[Server]]
) -> None:
    sent = b"token=" + b"a" * 2 * 1024 * 1024
    for accept, kind in (("text/html,*/*;q=0.8", "text/html"), ("*/*", "application/json")):
        headers = {"Content-Type": "application/x-www-form-urlencoded", "Accept": accept}
        answer, own = (http.post(own_calls.PATH, content=sent, headers=headers) for http in (gateway, behind[0].http))
        assert (answer.status_code, answer.content) == (413, own.content)
        assert answer.headers["Content-Type"].startswith(kind)


def test_a_callers_request_id_comes_back_and_another_is_made(kind: str, gateway: httpx.Client) -> None:
    """Envoy cannot tell an id from a CPF, so it always creates a new id."""
    own = str(uuid4())
    assert (gateway.get(GENDERS, headers={"X-Request-ID": own}).headers["X-Request-ID"] == own) == (kind != "envoy")
    assert UUID(gateway.get(GENDERS).headers["X-Request-ID"])


def test_the_check_endpoint_is_not_to_be_had_from_outside(gateway: httpx.Client, issuer: Issuer) -> None:
    beginnings = (
        "/access/api/v1/check", "/access/api/v1/%63heck", "/access/api/v1/chec%6B", "/access/api/v1/chec%6b",
        "/access/%61pi/%761/check", "/access/%61%70%69/v%31/%63%68%65%63%6B", "/api/v1/check", "/api/v1/%63heck",
    )  # fmt: skip
    for path in (f"{beginning}{end}" for beginning in beginnings for end in ("", PETS, "-token", f"-token{PETS}")):
        address = gateway.base_url.copy_with(raw_path=path.encode())  # the client would normalise the path
        refused = gateway.get(address, headers=bearer(issuer.admin()))
        assert (refused.status_code, refused.headers.get("X-Access-Decision")) == (404, None), path
    assert gateway.get("/access/api/v1/actions", headers=bearer(issuer.admin())).status_code == 200


def test_a_page_of_a_portal_can_read_the_gateways_refusals(gateway: httpx.Client, issuer: Issuer) -> None:
    asked = {"Origin": ORIGIN, "Access-Control-Request-Method": "GET"}
    preflight = gateway.options(PETS, headers=asked)
    assert (preflight.status_code, preflight.headers["Access-Control-Allow-Origin"]) == (204, ORIGIN)
    refused = gateway.get(PETS, headers={"Origin": ORIGIN} | bearer(issuer.person(ANA, exp=1)))
    assert (refused.status_code, refused.headers["Access-Control-Allow-Origin"]) == (401, ORIGIN)
    other = gateway.get(PETS, headers={"Origin": "https://other.example"} | bearer(issuer.person(ANA, exp=1)))
    assert "Access-Control-Allow-Origin" not in other.headers


def lets_pass(server: Server, path: str, token: str) -> bool:
    asked = {"X-Original-URI": path, "X-Original-Method": "GET"} | bearer(token)
    return httpx.get(f"http://{server}/access/api/v1/check", headers=asked).status_code == 200


def test_an_application_of_the_citys_own_is_guarded_by_the_catalogue(
    kind: str, gateway: httpx.Client, behind: tuple[Sandbox, list[Server]], issuer: Issuer
) -> None:
    """The application gets only the calls that the catalogue allows.

    Only the gateway can set the headers about the caller.
    """
    if kind == "haproxy":  # HAProxy cannot protect applications, so it does not know this path
        assert gateway.get("/invoices/7", headers=bearer(issuer.admin())).status_code == 404
        return
    made = make_invoices(sender(behind[0].http, issuer.person(SUPERADMIN, realm_access={"roles": ["superadmin"]})))
    path = f"{made['path']}/7?page=1"
    # The gateway may ask either server, and the second one learns of the new mapping a moment later.
    until_now(lambda: all(lets_pass(server, path, issuer.person(EDITOR)) for server in behind[1]))
    passed = gateway.get(path, headers=bearer(issuer.person(EDITOR, sub="editor-1")) | {"X-Access-Subject": "forged"})
    assert (passed.status_code, passed.text) == (200, "editor-1")
    refused = [
        gateway.get(path),
        gateway.get(path, headers={"Authorization": "Bearer a.b.c"}),
        gateway.get(path, headers=bearer(issuer.person(CITIZEN))),
        gateway.post(path, headers=bearer(issuer.person(EDITOR)), content=b"a body"),
        gateway.get(f"{made['path']}-nobody-mapped/this", headers=bearer(issuer.admin())),
    ]
    assert [answer.status_code for answer in refused] == [401, 401, 403, 403, 403]
    outside = {"X-Forwarded-For": "203.0.113.7"} | bearer(issuer.person(EDITOR))
    assert gateway.get(path, headers=outside).status_code == 200


@pytest.mark.long
def test_who_is_refused_too_often_is_told_to_wait_and_for_how_long(
    kind: str, application: Server, issuer: Issuer, tmp_path: Path
) -> None:
    """A valid token still works from an address with too many refusals."""
    if kind == "haproxy":  # HAProxy verifies tokens without the platform
        return
    name, certificate = databases.new_name(), Certificate(tmp_path)
    tmp_path.chmod(0o755)
    settings = Settings(
        data_dir=tmp_path, auth_issuer=issuer.address, trusted_proxies_csv="127.0.0.1", refused_rate="5/minute"
    )
    database_url, forged = databases.create(name), {"Authorization": "Bearer a.b.c"}
    with RunningServer(app.build_application(settings, database_url)) as server:
        servers, front = [Server("127.0.0.1", server.port)], certificate.frontend(free_port())
        plan = Plan(settings, app.SERVICES, servers, front, applications={"/teste:": application})
        with running(kind, plan, tmp_path, certificate) as client:
            answers = [client.get(PETS, headers=forged) for _ in range(6)]
            others = [client.get(path, headers=forged) for path in ("/access/api/v1/actions", "/teste:nada/1")]
            good = client.get(PETS, headers=bearer(issuer.person(ANA)))
    databases.drop(name)
    assert [answer.status_code for answer in answers] == [401] * 5 + [429]
    for answer in (answers[-1], others[0]):
        assert (answer.status_code, answer.headers["Error-Code"]) == (429, "too-many")
        assert 1 < int(answer.headers["Retry-After"]) <= 60
    assert (list(answers[-1].json()), list(others[0].json())) == (["error", "message"], ["detail"])
    assert others[1].status_code == 403  # the path is not mapped, so the token is not verified
    assert good.status_code == 200
