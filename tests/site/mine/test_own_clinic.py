"""The health unit of a citizen on the first page of Minha página, which needs a call for the list of all units."""

from collections.abc import Callable
from urllib.parse import urlsplit

from balcao.site.mine.declaration import PREFIX
from balcao_sandbox.identity.demo import people_by_login
from tests.site.mine.conftest import Enter
from tests.support.fixture_types import Sql
from tests.support.sandbox import Sandbox
from tests.support.site import SiteClient

UNLISTED = """
UPDATE registry.base_record
SET wallet = jsonb_set(wallet, '{saude,clinica_familia}', '{"nome": "Clínica Antiga", "id_cnes": "9999999"}')
WHERE cpf = $1
"""


def test_a_unit_that_is_not_in_the_list_and_has_no_address(enter: Enter, sql: Sql) -> None:
    sql(UNLISTED, people_by_login()["elisa"].cpf)
    elisa = enter("elisa")
    assert elisa.get(PREFIX).status_code == 200
    assert "Minha unidade de saúde Clínica Antiga Minha carteira" in elisa.page.text


def test_the_first_page_beyond_the_rate_of_calls_lacks_only_one_part(
    enter: Enter, sandbox: Sandbox, open_apart: Callable[..., SiteClient]
) -> None:
    ana, apart = enter("ana"), open_apart(site_read_rate="1/minute", site_url=sandbox.url)
    apart.get("/busca?q=creche")
    cookies = "; ".join(f"{one.name}={one.value}" for one in ana.http.cookies.jar)
    headers = {"Host": urlsplit(sandbox.url).netloc, "Cookie": cookies}
    answer = ana.remember(apart.http.get(PREFIX, headers=headers))
    assert answer.status_code == 200
    assert "Minha unidade de saúde" in ana.page.text
    assert "Bicicleta do trabalho" in ana.page.text
