"""The health unit of a citizen on the first page of Minha página, which needs a call for the list of all units."""

from balcao.site.mine.declaration import PREFIX
from balcao_sandbox.identity.demo import people_by_login
from tests.site.mine.conftest import Enter
from tests.support.fixture_types import Sql

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
