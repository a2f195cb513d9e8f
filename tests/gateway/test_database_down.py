"""While no database answers, each gateway passes calls on: the processes answer many reads from memory."""

import time
from pathlib import Path

import httpx
import pytest

from balcao import app
from balcao.core.database import pool
from balcao.operate.deploy.answers import Server
from balcao.operate.deploy.gateways import Plan
from balcao.operate.gateway_config import fetch_signing_keys
from balcao.settings import Settings
from tests.core.relay import Relay
from tests.support.gateways import Certificate, running
from tests.support.polling import PATIENCE, until_now
from tests.support.server import RunningServer, free_port

READS = (
    "/search/api/v1/search?q=iptu",
    "/search/api/v1/categories",
    "/status",
)
# HAProxy and Envoy check readiness every two seconds, and take a process out of service after two failures.
UNTIL_UNREADY_SECONDS = 8.0


@pytest.mark.long
@pytest.mark.parametrize(
    "kind",
    [
        pytest.param("haproxy", marks=pytest.mark.haproxy),
        pytest.param("nginx", marks=pytest.mark.nginx),
        pytest.param("envoy", marks=pytest.mark.validators),
    ],
)
def test_reads_from_memory_are_answered_while_the_database_is_down(
    kind: str, settings: Settings, database_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tmp_path.chmod(0o755)
    certificate = Certificate(tmp_path)
    with (
        Relay(database_url) as relay,
        RunningServer(app.build_application(settings, relay.url)) as server,
        httpx.Client(base_url=server.url, timeout=PATIENCE) as direct,
    ):
        until_now(lambda: direct.get("/search/readiness").status_code == 200)
        plan = Plan(
            settings,
            app.SERVICES,
            [Server("127.0.0.1", server.port)],
            certificate.frontend(free_port()),
            {},
            applications={},
            keys=fetch_signing_keys(settings),
        )
        with running(kind, plan, tmp_path, certificate) as gateway:
            assert [gateway.get(path).status_code for path in READS] == [200] * len(READS)
            monkeypatch.setattr(pool, "SERVING_SECONDS", 0.3)
            relay.stop()
            until_now(lambda: direct.get("/search/readiness").status_code == 503)
            end = time.monotonic() + UNTIL_UNREADY_SECONDS
            while time.monotonic() < end:
                for path in READS:
                    answer = gateway.get(path)
                    assert answer.status_code == 200, (path, answer.headers, answer.text[:200])
            refused = gateway.get("/registry/v1/departments")
            assert refused.status_code == 503
            relay.resume()
            until_now(lambda: gateway.get("/search/readiness").status_code == 200)
