"""A logout at the embedded provider ends the sessions on the platform, as a logout at a city's provider does."""

from collections.abc import Iterator

import httpx
import pytest

from balcao import app
from balcao.settings import Settings
from tests.support.issuer import bearer
from tests.support.login import log_in
from tests.support.polling import PATIENCE, until_now
from tests.support.server import UNLIMITED, RunningServer, free_port


@pytest.fixture(scope="module")
def settings(tmp_path_factory: pytest.TempPathFactory) -> Settings:
    return Settings(port=free_port(), data_dir=tmp_path_factory.mktemp("data"), refused_rate=UNLIMITED)


@pytest.fixture(scope="module")
def platform_http(settings: Settings, database_url: str) -> Iterator[httpx.Client]:
    with (
        RunningServer(app.build_application(settings, database_url, ["agents"]), settings.port) as server,
        httpx.Client(base_url=server.url, timeout=PATIENCE) as client,
    ):
        yield client


@pytest.mark.parametrize("by", ["refresh_token", "id_token_hint"])
def test_a_logout_ends_the_access_token_and_nobody_elses(
    settings: Settings, platform_http: httpx.Client, by: str
) -> None:
    def opens(token: object) -> bool:
        return platform_http.get("/agent/api/v1/auth", headers=bearer(str(token))).status_code == 200

    [issuer] = settings.issuers
    ended, kept = (log_in(issuer, "ana", "demo-ana") for _ in range(2))
    assert opens(ended["access_token"])
    assert opens(kept["access_token"])
    form = {"client_id": "portal-cidadao", "refresh_token": str(ended["refresh_token"])}
    if by == "id_token_hint":
        form = {"id_token_hint": str(ended["id_token"])}
    assert platform_http.post(f"{issuer}/protocol/openid-connect/logout", data=form).status_code in {200, 204}
    until_now(lambda: not opens(ended["access_token"]))
    assert opens(kept["access_token"])
