"""The sandbox CRM's echo of a push changes nothing, over HTTP in both directions."""

from collections.abc import Callable, Iterator

import pytest

from balcao.settings import Settings
from tests.support import sandbox as whole
from tests.support.crm import crm_settings
from tests.support.demo_people import BRUNO
from tests.support.fixture_types import Drain, Sql
from tests.support.issuer import bearer
from tests.support.polling import until_now
from tests.support.sandbox import EmbeddedTokens, Sandbox

ECHOES = "SELECT result FROM registry.crm_event WHERE cpf = $1"
PATH = f"/registry/v1/citizen/{BRUNO}"


@pytest.fixture(scope="module")
def settings(tmp_path_factory: pytest.TempPathFactory) -> Settings:
    return crm_settings(tmp_path_factory.mktemp("sandbox"), registry_url_override=None)


@pytest.fixture(scope="module")
def sandbox(settings: Settings, database_url: str) -> Iterator[Sandbox]:
    with whole.running(settings, database_url, EmbeddedTokens(settings.issuers[0])) as running:
        yield running


@pytest.mark.cases("registry", "X2")
def test_a_push_comes_back_and_changes_nothing(
    sandbox: Sandbox, send: Callable[..., None], drain: Drain, sql: Sql
) -> None:
    token = bearer(sandbox.tokens.person(BRUNO))
    assert sandbox.http.put(f"{PATH}/gender", json={"valor": "Agênero"}, headers=token).status_code == 200
    before = sandbox.http.get(PATH, headers=token).json()
    send()
    until_now(lambda: bool(sql(ECHOES, BRUNO)))
    drain()
    assert [row["result"] for row in sql(ECHOES, BRUNO)] == ["applied"]  # the echo only confirms the value
    after = sandbox.http.get(PATH, headers=token).json()
    assert (after["genero"], after) == ("Agênero", before)
    sandbox.crm.switch.delete("/requests")
    send()
    assert sandbox.crm.operations(cpf=BRUNO) == []
