"""The web pages whose scripts may call the platform, and the CORS headers that allow these calls."""

import re
from collections.abc import Iterator

import httpx
import pytest

from balcao.core.http.responses import Response
from balcao.gateway.cors import EXPOSED_HEADERS, REQUEST_HEADERS, Cors
from balcao.settings import Settings, SettingsError
from tests.support import single_services
from tests.support.descriptions import DESCRIPTIONS
from tests.support.issuer import Issuer, bearer
from tests.support.polling import PATIENCE
from tests.support.server import RunningServer

PORTAL, LOCAL = "https://portal.cidade.gov.br", "http://localhost:3000"
GENDERS = "/registry/v1/citizen/gender/options"
PETS = "/registry/v1/citizen/90000000175/pets"


def preflight(http: httpx.Client, path: str, origin: str, method: str = "POST") -> httpx.Response:
    asked = {"Origin": origin, "Access-Control-Request-Method": method, "Access-Control-Request-Headers": "x"}
    return http.options(path, headers=asked)


def test_in_the_sandbox_a_page_of_the_own_machine_may_call(http: httpx.Client, issuer: Issuer) -> None:
    for origin in (LOCAL, "http://127.0.0.1:5173", "http://[::1]:8000", "http://localhost"):
        answer = preflight(http, PETS, origin)
        assert answer.status_code == 204
        assert answer.headers["Access-Control-Allow-Origin"] == origin
        assert answer.headers["Access-Control-Allow-Methods"] == answer.headers["Allow"] == "GET, HEAD, OPTIONS, POST"
        assert answer.headers["Access-Control-Allow-Headers"] == ", ".join(REQUEST_HEADERS)
        called = http.get(PETS, headers=bearer(issuer.person("90000000175")) | {"Origin": origin})
        assert (called.status_code, called.headers["Access-Control-Allow-Origin"]) == (200, origin)
        assert called.headers["Access-Control-Expose-Headers"] == ", ".join(EXPOSED_HEADERS)
        assert "Access-Control-Allow-Credentials" not in called.headers


# Headers between an external gateway and the platform. The descriptions mention them, but web pages do not send them.
GATEWAYS_OWN = re.compile("X-(Original|Forwarded)-.*|X-Access-(Action|Decision|Mapping|Subject)")


def test_a_page_can_send_and_read_every_header_that_a_description_names() -> None:
    texts = [path.read_text("utf-8") for path in DESCRIPTIONS.glob("*.json")]
    named = {
        name for text in texts for name in re.findall("`(X-[A-Za-z-]+)`", text) if not GATEWAYS_OWN.fullmatch(name)
    }
    assert {"X-Total-Count", "X-Catalogue-Version"} < named
    assert named <= {*EXPOSED_HEADERS, *REQUEST_HEADERS}


def test_a_refusal_can_be_read_too(http: httpx.Client) -> None:
    for path in (PETS, "/registry/v1/no/such/path"):
        assert http.get(path, headers={"Origin": LOCAL}).headers["Access-Control-Allow-Origin"] == LOCAL


@pytest.mark.parametrize(
    "origin",
    ["null", "https://localhost", "http://localhost.evil.example", "http://evil.example", "http://127.0.0.1:", ""],
)
def test_no_other_page_may(http: httpx.Client, origin: str) -> None:
    for answer in (preflight(http, PETS, origin), http.get(GENDERS, headers={"Origin": origin})):
        assert "Access-Control-Allow-Origin" not in answer.headers
        assert "Access-Control-Allow-Methods" not in answer.headers
        assert "Origin" in answer.headers["Vary"]


def test_what_caches_may_keep_is_kept_for_one_origin_each(http: httpx.Client) -> None:
    assert "Origin" in http.get(GENDERS).headers["Vary"]


@pytest.fixture(scope="module")
def city() -> Iterator[httpx.Client]:
    """Yield a client of a gateway that allows only the city's portal."""
    application = single_services.handlers({("GET", "/"): lambda _: Response(b"ok")}, Cors([PORTAL]))
    with RunningServer(application) as running, httpx.Client(base_url=running.url, timeout=PATIENCE) as client:
        yield client


def test_a_named_origin_is_the_only_one(city: httpx.Client) -> None:
    assert preflight(city, "/", PORTAL, "GET").headers["Access-Control-Allow-Origin"] == PORTAL
    for other in (LOCAL, f"{PORTAL}.evil.example", f"{PORTAL}:8443", PORTAL.replace("https", "http")):
        assert "Access-Control-Allow-Origin" not in preflight(city, "/", other, "GET").headers


def test_nobody_is_allowed_for_in_production_unless_named() -> None:
    assert (Settings(profile="production").cors_origins, Settings(profile="production").cors_loopback) == ((), False)
    named = Settings.load({"BALCAO_CORS_ORIGINS": f"{PORTAL}, https://outro.cidade.gov.br"})
    assert (named.cors_origins, named.cors_loopback) == ((PORTAL, "https://outro.cidade.gov.br"), False)


@pytest.mark.parametrize("origins", ["*", "portal.cidade.gov.br", f"{PORTAL}/", "null", "https://a b"])
def test_what_is_no_origin_is_refused_by_name(origins: str) -> None:
    with pytest.raises(SettingsError, match="BALCAO_CORS_ORIGINS"):
        Settings.load({"BALCAO_CORS_ORIGINS": origins})
