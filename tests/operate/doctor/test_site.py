"""Doctor's findings about the site: its machine client at the identity provider, and the data that it may read."""

from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from balcao.operate.doctor.checks import Part, Subject
from balcao.operate.doctor.site import CHECK, find_notices
from balcao.settings import Settings
from tests.support.sandbox import EmbeddedTokens, Sandbox, running
from tests.support.server import NOWHERE, free_port


@pytest.fixture(scope="module")
def sandbox(database_url: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sandbox]:
    settings = Settings(data_dir=tmp_path_factory.mktemp("data"), port=free_port())
    with running(settings, database_url, EmbeddedTokens(settings.issuers[0])) as opened:
        yield opened


async def examine(sandbox: Sandbox, **changes: str) -> Part | None:
    own: dict[str, Any] = {
        "auth_issuer": sandbox.settings.issuers[0],
        "public_url": sandbox.url,
        "database_url": sandbox.database_url,
        "site_database_url": sandbox.database_url.replace("//balcao@", "//balcao_site@"),
    }
    settings = Settings.load({f"BALCAO_{name.upper()}": value for name, value in (own | changes).items()})
    async with httpx.AsyncClient() as http:
        return await CHECK.examine(Subject(settings, http))


async def test_a_site_with_which_nothing_is_wrong(sandbox: Sandbox) -> None:
    found = await examine(sandbox)
    assert found == Part("up", {"client": True, "database": True, "login_client": True, "login_return_address": True})


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"site_machine_client_secret": "outro segredo"}, ["BALCAO_SITE_MACHINE_CLIENT_SECRET"]),
        (
            {"site_machine_client_id": "painel-saude", "site_machine_client_secret": "sandbox-painel-saude-secret"},
            ["não pode ler os serviços: dê a ele o escopo `catalogo:read`", "não tem o escopo `busca:search`"],
        ),
        (
            {"site_machine_client_id": "crm-sandbox", "site_machine_client_secret": "sandbox-crm-webhook-secret"},
            ["`catalogo:read`", "`sms:read`", "`busca:search`"],
        ),
        ({"site_client_secret": "outro segredo"}, ["BALCAO_SITE_CLIENT_SECRET"]),
        ({"site_client_id": "ninguem"}, ["recusou o cliente de Minha página, ninguem"]),
        ({"site_url": "https://cidade.example"}, ["não aceita https://cidade.example/minha-pagina/retorno"]),
        ({"site_database_role": "ninguem"}, ["CREATE ROLE ninguem LOGIN"]),
    ],
)
async def test_each_fault_is_told_by_what_mends_it(sandbox: Sandbox, changes: dict[str, str], said: list[str]) -> None:
    found = await examine(sandbox, **changes)
    assert found is not None
    assert found.state == "down"
    assert len(found.problems) == len(said)
    assert all(part in problem for part, problem in zip(said, found.problems, strict=True))


async def test_other_checks_report_a_provider_or_services_that_are_down(sandbox: Sandbox) -> None:
    away = f"http://127.0.0.1:{NOWHERE}"
    assert await examine(sandbox, auth_issuer=away) == Part("up", {"database": True})
    found = await examine(sandbox, site_api_url=away, site_login="false")
    assert found == Part("up", {"client": True})


async def test_the_address_of_the_site_is_among_the_portals_or_told(sandbox: Sandbox) -> None:
    for portals, number in (("", 1), ("127.0.0.1", 0), ("10.0.0.7", 1)):
        settings = sandbox.settings.model_copy(update={"profile": "production", "search_portals_csv": portals})
        assert len(find_notices(settings)) == number
    assert find_notices(sandbox.settings) == []


async def test_a_site_that_is_off_is_not_examined_and_of_the_trial_only_the_database(sandbox: Sandbox) -> None:
    assert await examine(sandbox, site="false") is None
    assert await examine(sandbox, auth_issuer="") == Part("up", {"database": True})
    assert await examine(sandbox, auth_issuer="", site_login="false") is None
