"""The developer portal explains a refused call. Its request id leads to the cause and the remedy."""

import html
import re
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from uuid import uuid4

import httpx
import pytest

from balcao import app
from balcao.core.live import call_log
from balcao.developer_portal.own_calls import PATH
from balcao.settings import Settings
from tests.support.demo_people import ANA, CARLA
from tests.support.issuer import Issuer, bearer
from tests.support.polling import until_now
from tests.support.server import RunningServer, free_port

CLIENT, OTHER = "portal-cidadao", "painel-saude"
PREFERENCES = f"/registry/v1/citizen/{ANA}/notification-preferences"
MAINTENANCE = "/registry/v1/admin/maintenance/search"
CLOSED = "/search/api/v1/admin/migration/history"
RATE = 20


@pytest.fixture(scope="module")
def settings(issuer: Issuer, tmp_path_factory: pytest.TempPathFactory) -> Settings:
    folder: Path = tmp_path_factory.mktemp("data")
    return Settings(auth_issuer=issuer.address, data_dir=folder, port=free_port(), read_rate=f"{RATE}/hour")


@pytest.fixture(scope="module")
def server(settings: Settings, database_url: str) -> Iterator[RunningServer]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(call_log, "FLUSH_SECONDS", 0.02)
        with RunningServer(app.build_application(settings, database_url), settings.port) as running:
            yield running


def call(http: httpx.Client, token: str, method: str, path: str, **options: Any) -> tuple[str, int]:
    """Make a call as a program would. Return the request id and the status."""
    headers = bearer(token) | {"X-Request-ID": str(uuid4())} | options.pop("headers", {})
    answer = http.request(method, path, headers=headers, **options)
    return answer.headers["X-Request-ID"], answer.status_code


def show(http: httpx.Client, issuer: Issuer, client: str = CLIENT, **asked: str) -> str:
    page = http.post(PATH, data={"token": issuer.machine(client), **asked})
    assert page.status_code == 200, page.text
    return html.unescape(page.text)


def list_ids(page: str) -> list[str]:
    """Return the request ids in the list of calls, but not the one in the form."""
    return re.findall(r" ms,\s+<code>([^<]+)</code>", page)


def refuse(name: str, http: httpx.Client, issuer: Issuer) -> tuple[str, int]:
    """Make a call that is refused for one of ten common reasons."""
    past = int(time.time()) - 7200
    ana, staff = issuer.person(ANA, azp=CLIENT), issuer.admin(azp=CLIENT)
    match name:
        case "expired token":
            return call(http, issuer.machine(CLIENT, iat=past, exp=past + 300), "GET", PREFERENCES)
        case "wrong audience":
            return call(http, issuer.machine(CLIENT, aud="outra"), "GET", PREFERENCES)
        case "missing scope":
            return call(http, issuer.machine(CLIENT), "GET", f"/registry/v1/citizen/{ANA}")
        case "missing action":
            return call(http, ana, "GET", "/registry/v1/admin/state")
        case "not own data":
            return call(http, issuer.person(CARLA, azp=CLIENT), "GET", PREFERENCES)
        case "rate":
            return [call(http, ana, "GET", PREFERENCES) for _ in range(RATE + 1)][-1]
        case "body":
            return call(http, ana, "PUT", PREFERENCES, json={"opt_in": "sim"})
        case "conflict":
            return call(http, staff, "DELETE", "/registry/v1/admin/limits/registry.read_preferences")
        case "precondition":
            body = {"opt_in": True, "channel": "web"}
            return call(http, ana, "PUT", PREFERENCES, json=body, headers={"If-Match": '"outra"'})
        case _:
            closing = {"message": "Volta às 10 h.", "minutes": 5, "reason": "Troca de servidor"}
            assert call(http, staff, "PUT", MAINTENANCE, json=closing)[1] == 200
            try:
                until_now(lambda: call(http, staff, "GET", CLOSED)[1] == 503)
                return call(http, staff, "GET", CLOSED)
            finally:
                call(http, staff, "DELETE", MAINTENANCE)


@pytest.mark.parametrize(
    ("name", "status", "code", "remedies"),
    [
        ("expired token", 401, "token-expired", ["Peça outro antes do fim"]),
        ("wrong audience", 401, "token-audience", ["dê ao cliente a audiência"]),
        (
            "missing scope",
            403,
            "forbidden",
            ["ou o escopo", "<strong>Quem pode chamar:</strong>", "<code>rmi:pessoa-fisica:read</code>"],
        ),
        ("missing action", 403, "forbidden", ["um papel com a ação", "quem tem a ação <code>operation:read</code>."]),
        ("not own data", 403, "forbidden", ["Use o token da própria pessoa", "a própria pessoa, ou quem tem a ação"]),
        ("rate", 429, "too-many", ["distribua as chamadas no tempo"]),
        ("body", 400, "body-invalid", ["Corrija o membro"]),
        ("conflict", 409, "limit-not-changed", ["Não há o que fazer"]),
        ("precondition", 412, "precondition-failed", ["Leia o registro de novo"]),
        ("maintenance", 503, "maintenance", ["Mostre a mensagem às pessoas"]),
    ],
)
def test_each_of_the_commonest_refusals_is_explained_from_its_request_id(
    http: httpx.Client, issuer: Issuer, name: str, status: int, code: str, remedies: list[str]
) -> None:
    request_id, refused = refuse(name, http, issuer)
    assert refused == status
    until_now(lambda: f"<code>{code}</code>" in show(http, issuer, request_id=request_id))
    page = show(http, issuer, request_id=request_id)
    assert page.count('<section class="call">') == 1
    assert [remedy for remedy in remedies if remedy not in page] == []
    path, _, anchor = page.split('<section class="call">')[1].split('href="')[1].split('"')[0].partition("#")
    assert (
        anchor == f"{status}-{'token-invalid' if status == 401 else code}"
    )  # only the client may see which check failed
    assert f'id="{anchor}"' in http.get(path).raise_for_status().text


def test_the_page_filters_by_status_and_code_and_shows_no_other_clients_calls(
    http: httpx.Client, issuer: Issuer
) -> None:
    own, _ = refuse("not own data", http, issuer)
    until_now(lambda: own in list_ids(show(http, issuer, status="4xx", code="forbidden")))
    assert list_ids(show(http, issuer, request_id=own)) == [own]
    assert own not in list_ids(show(http, issuer, status="2xx"))
    assert own not in list_ids(show(http, issuer, code="too-many"))
    assert list_ids(show(http, issuer, OTHER, request_id=own)) == []


@pytest.mark.parametrize(
    ("typed", "status", "said"),
    [
        ({"token": ""}, 401, "O token não é válido"),
        ({"token": "nada"}, 401, "O token não é válido"),
        ({"token": "{machine}", "status": "<b>"}, 422, "Um dos filtros não tem a forma certa"),
        ({"token": "{person}"}, 403, "token dele próprio"),
    ],
)
def test_what_shows_nothing_says_why_and_repeats_no_token(
    http: httpx.Client, issuer: Issuer, typed: dict[str, str], status: int, said: str
) -> None:
    tokens = {"machine": issuer.machine(CLIENT), "person": issuer.person(ANA)}
    page = http.post(PATH, data={name: value.format(**tokens) for name, value in typed.items()})
    assert page.status_code == status
    assert said in html.unescape(page.text)
    assert not any(token in page.text for token in tokens.values())
    assert "<b>" not in page.text
    assert page.headers["cache-control"] == "no-store"
