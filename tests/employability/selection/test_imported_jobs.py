"""The effects on candidates when their job is imported again during the selection (rules: employability 4.4, 7)."""

from uuid import uuid4

import httpx

from balcao.employability.hiring.transfer.feature import IMPORTS
from tests.employability.hiring.callers import Callers
from tests.employability.hiring.job_bodies import PUBLIC, describe_job
from tests.employability.selection.application_bodies import person
from tests.employability.selection.conftest import Apply
from tests.registry.import_rows import load
from tests.support.fixture_types import Sql
from tests.support.sent_statements import recorded

STEPS = [{"titulo": name, "descricao": name} for name in "ABC"]
READ_STEPS = "SELECT id::text FROM employability.job_step WHERE id_vaga = $1 ORDER BY ordem"
READ_PLACES = """
SELECT application.cpf, id_etapa_atual::text AS step,
       array_agg((evento, id_etapa_de::text, id_etapa_para::text)) AS events
FROM employability.application JOIN employability.application_event ON id_candidatura = application.id
WHERE id_vaga = $1 AND evento = 'step-removed' GROUP BY application.id ORDER BY application.cpf
"""


def test_the_candidates_of_a_step_that_a_file_lists_no_more_stand_on_the_step_before(
    http: httpx.Client, database_url: str, apply: Apply, callers: Callers, sql: Sql
) -> None:
    lines = [describe_job(id=str(uuid4()), status="publicado_ativo", etapas=STEPS) for _ in range(2)]
    assert load(database_url, IMPORTS[0], *lines) == 2
    expected = {}
    for number, line in enumerate(lines):
        first, second, third = [row["id"] for row in sql(READ_STEPS, line["id"])]
        kept = [STEPS[number] | {"id": (first, second)[number]}]
        job = http.get(f"{PUBLIC}/{line['id']}").json()
        for place, step in enumerate((first, second, third)):
            cpf = person(800 + 10 * number + place)
            made = apply(job, cpf)
            assert made.status_code == 201, made.text
            sql("UPDATE employability.application SET id_etapa_atual = $2 WHERE id = $1", made.json()["id"], step)
            after = kept[0]["id"] if place >= number else None
            if step != after:
                expected[cpf] = (after, [("step-removed", step, after)])
        line["etapas"] = kept
    with recorded() as sent:
        assert load(database_url, IMPORTS[0], *lines) == 2
    assert sum("leave_steps" in text for text in sent.texts) == 1
    found = {
        row["cpf"]: (row["step"], row["events"]) for line in lines for row in map(dict, sql(READ_PLACES, line["id"]))
    }
    assert found == expected
    assert load(database_url, IMPORTS[0], *lines) == 0
