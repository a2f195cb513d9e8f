"""The server does not read a large body from a caller who has used up the rate limit (rules: registry 4.18)."""

import httpx
import pytest

from balcao.settings import Settings
from tests.core.test_body_admission import begin
from tests.support.issuer import Issuer, bearer
from tests.support.server import NOWHERE, UNLIMITED, RunningServer

ADMIN = "90000000256"
CALLS = 3


@pytest.fixture(scope="module")
def settings(issuer: Issuer, tmp_path_factory: pytest.TempPathFactory) -> Settings:
    folder = tmp_path_factory.mktemp("data")
    return Settings(
        auth_issuer=issuer.address, data_dir=folder, port=NOWHERE, refused_rate=UNLIMITED, write_rate=f"{CALLS}/hour"
    )


def test_a_caller_whose_rate_is_spent_is_refused_before_the_body_is_read(
    server: RunningServer, http: httpx.Client, issuer: Issuer
) -> None:
    token = issuer.admin(ADMIN)
    path = "/search/api/v1/admin/services"
    answers = [http.post(path, json={}, headers=bearer(token)).status_code for _ in range(CALLS + 1)]
    assert answers[-1] == 429
    assert 429 not in answers[:-1]
    with begin(server, token) as connection:
        assert connection.answer() == "429"
