"""The sandbox's demo data (rules: employability 7)."""

import re
from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any
from uuid import NAMESPACE_URL, uuid5

from balcao.employability.reference_values.kinds import Kind, seed_value_id
from tests.support.fixture_types import Sql
from tests.support.rules import read_table

TABLES = (
    "resume",
    "experience",
    "behaviour_link",
    "skill_link",
    "legacy_job",
    "reference_value",
    "behaviour",
    "application",
    "application_block",
)


# The values that the rules page lists for each reference table, without their position numbers.
SEEDED = {
    name.split(" ")[0]: re.sub(r"(^|; )\d+ ", r"\1", texts).split("; ")
    for name, texts in read_table("employability", "Table | Values")
}
BEHAVIOURS = SEEDED.pop("comportamentos-atitudes")


def test_the_shipped_values_stand_in_their_order_under_the_ids_of_every_installation(sql: Sql) -> None:
    namespace = uuid5(NAMESPACE_URL, "balcao:employability")
    rows = sql("SELECT kind, descricao, id FROM employability.reference_value ORDER BY kind, posicao")
    for kind, texts in SEEDED.items():
        found = [(row["descricao"], row["id"]) for row in rows if row["kind"] == kind]
        assert found == [(text, uuid5(namespace, f"{kind}:{text}")) for text in texts]
    assert {row["kind"] for row in rows} == set(SEEDED) == {str(kind) for kind in Kind}
    assert seed_value_id(Kind.ZONE, "Centro") == uuid5(namespace, "zonas:Centro")


def test_the_shipped_behaviours_have_the_ids_one_to_eight(sql: Sql) -> None:
    rows = sql("SELECT id, nome FROM employability.behaviour ORDER BY id")
    assert [(row["id"], row["nome"]) for row in rows] == list(enumerate(BEHAVIOURS, 1))


def test_a_second_load_changes_nothing_and_records_nothing(
    load_demo: Callable[[], Mapping[str, Any]], examples: Mapping[str, Any], sql: Sql
) -> None:
    def stored() -> list[Any]:
        # Each save changes the time and the version, so the comparison leaves them out.
        rows = "to_jsonb(t) - ARRAY['updated_at', 'row_version'] AS row"
        return [sql(f"SELECT {rows} FROM employability.{table} AS t ORDER BY t::text") for table in TABLES] + [
            sql("SELECT count(*) FROM platform.audit_event WHERE action <> 'read'")
        ]

    before = stored()
    assert load_demo() == examples
    assert stored() == before


def test_the_examples_name_things_that_are_there(examples: Mapping[str, Any], sql: Sql) -> None:
    own = {"work_model_id", "availability_id", "experience_id", "behaviour_link_id", "job_id"}
    assert set(examples) == own | {"vaga_id", "draft_vaga_id", "candidatura_id", "open_candidatura_id"}
    jobs = sql("SELECT id, status FROM employability.job")
    assert {str(job["id"]): job["status"] for job in jobs}.items() >= {
        examples["vaga_id"]: "publicado_ativo",
        examples["draft_vaga_id"]: "em_edicao",
    }.items()
    owners = sql(
        "SELECT cpf FROM employability.experience WHERE id = $1::text::uuid"
        " UNION SELECT cpf FROM employability.behaviour_link WHERE id = $2::text::bigint",
        examples["experience_id"],
        examples["behaviour_link_id"],
    )
    assert [row["cpf"] for row in owners] == ["90000000175"]
    linked = sql("SELECT id_comportamento_atitudes AS entry FROM employability.behaviour_link ORDER BY 1")
    assert [row["entry"] for row in linked] == [1, 4]


def test_the_older_jobs_are_one_for_each_status_one_removed_and_one_past_its_limit(
    examples: Mapping[str, Any], sql: Sql
) -> None:
    jobs = sql("SELECT id, status, deleted_at, data_limite_candidatura < now() AS past FROM employability.legacy_job")
    assert len(jobs) == 6
    assert {job["status"] for job in jobs if not job["deleted_at"]} == {"CRIADO", "ABERTO", "EM_ANALISE", "ENCERRADO"}
    assert len([job for job in jobs if job["deleted_at"]]) == len([job for job in jobs if job["past"]]) == 1
    assert int(examples["job_id"]) in {job["id"] for job in jobs if not job["deleted_at"]}


def test_the_applications_and_refused_attempts_are_those_of_the_rules(examples: Mapping[str, Any], sql: Sql) -> None:
    rows = sql("""
        SELECT application.cpf, job.titulo, application.status, step.ordem
        FROM employability.application JOIN employability.job ON job.id = id_vaga
        LEFT JOIN employability.job_step AS step ON step.id = id_etapa_atual""")
    assert {tuple(row) for row in rows if row["cpf"] < "90002"} == {
        ("90000000175", "Confeiteiro", "aprovada", 2),
        ("90000000175", "Recepcionista bilíngue", "candidatura_enviada", None),
        ("90000000256", "Confeiteiro", "reprovada", None),
        ("90000000337", "Pedreiro", "candidatura_enviada", None),
        ("90000000507", "Assistente", "candidatura_enviada", None),
    }
    generated = [row for row in rows if row["cpf"] >= "90002"]
    assert Counter(row["titulo"] for row in generated) == {"Confeiteiro": 60, "Auxiliar de cozinha": 236}
    assert {row["status"] for row in generated} == {
        "candidatura_enviada", "aprovada", "reprovada", "vaga_congelada", "vaga_descontinuada"
    }  # fmt: skip
    blocks = sql("SELECT cpf, criterios_nao_atendidos AS failed FROM employability.application_block")
    assert len(blocks) == 12
    assert {row["cpf"]: row["failed"] for row in blocks if row["cpf"] < "90002"} == {
        "90000000418": ["idade_minima", "idioma"],
        "90000000680": ["termos_uso"],
    }
    (cooks,) = sql("""
        SELECT count(*) FILTER (WHERE jsonb_array_length(respostas) = 2 AND curriculo_snapshot IS NOT NULL) AS whole,
            count(DISTINCT cpf) AS people
        FROM employability.application JOIN employability.application_content ON id_candidatura = id
        WHERE email LIKE '%@correio.example'""")
    assert tuple(cooks) == (236, 236)
    skills = sql(
        """SELECT link.cpf, skill.nome FROM employability.skill_link AS link
           JOIN employability.skill_area AS pair ON pair.id = link.id_area_atuacao_habilidade
           JOIN employability.skill ON skill.id = pair.skill_id"""
    )
    assert [tuple(row) for row in skills] == [("90000000256", "Direção categoria D")]
