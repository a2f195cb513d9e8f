"""Imported companies and jobs, and the sandbox's companies and jobs (rules: employability 3.2, 3.3, 7)."""

import asyncio
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID, uuid4, uuid5

import msgspec
import pytest

from balcao.core.database.pool import Database
from balcao.core.errors import Invalid
from balcao.core.imports.store import set_zone
from balcao.core.values.clock import utc_now
from balcao.employability.companies.imports import IMPORTS as COMPANIES
from balcao.employability.hiring.paths import sandbox_job_id
from balcao.employability.hiring.transfer.feature import IMPORTS as JOBS
from balcao.employability.reference_values.kinds import Kind
from tests.employability.hiring.job_bodies import COMPANY, describe_job, value
from tests.registry.import_rows import load
from tests.support.fixture_types import Sql
from tests.support.sent_statements import recorded


def test_a_file_of_companies_again_changes_nothing(database_url: str, sql: Sql) -> None:
    line = {"cnpj": "90.000.001/0001-29", "razao_social": "Aurora", "setor": ""}
    assert [load(database_url, COMPANIES[0], line) for _ in range(2)] == [1, 0]
    assert load(database_url, COMPANIES[0], line | {"setor": "Alimentação"}) == 1
    with pytest.raises(Invalid):
        load(database_url, COMPANIES[0], line | {"cnpj": "90000001000128"})
    [stored] = sql("SELECT razao_social, setor FROM employability.company WHERE cnpj = $1", COMPANY)
    assert tuple(stored) == ("Aurora", "Alimentação")


def test_a_file_of_jobs_again_changes_nothing_and_keeps_the_state(database_url: str, sql: Sql) -> None:
    load(database_url, COMPANIES[0], {"cnpj": COMPANY, "razao_social": "Aurora"})
    id_ = str(uuid4())
    line = describe_job(id=id_, status="publicado_expirado", data_limite="2024-05-01", publicado_em="2024-04-01")
    assert [load(database_url, JOBS[0], line) for _ in range(2)] == [1, 0]
    [job] = sql("SELECT status, publicado_em::text, data_limite::text FROM employability.job WHERE id = $1", id_)
    assert job["status"] == "publicado_ativo"
    assert (job["publicado_em"], job["data_limite"]) == ("2024-04-01 00:00:00+00", "2024-05-01 23:59:59+00")
    steps = sql("SELECT id FROM employability.job_step WHERE id_vaga = $1 ORDER BY ordem", id_)
    sql("UPDATE employability.job SET status = 'vaga_congelada' WHERE id = $1", id_)
    assert load(database_url, JOBS[0], line | {"titulo": "Outro"}) == 1
    [job] = sql("SELECT status, titulo FROM employability.job WHERE id = $1", id_)
    assert tuple(job) == ("vaga_congelada", "Outro")
    assert sql("SELECT id FROM employability.job_step WHERE id_vaga = $1 ORDER BY ordem", id_) == steps
    assert [row["cd_ua"] for row in sql("SELECT cd_ua FROM employability.department")] == ["1100"]
    sql("UPDATE employability.job SET deleted_at = now() WHERE id = $1", id_)
    assert load(database_url, JOBS[0], line) == 0


def test_a_batch_of_jobs_takes_as_many_statements_as_one(database_url: str, sql: Sql) -> None:
    load(database_url, COMPANIES[0], {"cnpj": COMPANY, "razao_social": "Aurora"})
    lines = [describe_job(id=str(uuid4()), titulo=f"Vaga {number}") for number in range(5)]
    changed = [line | {"titulo": "Outro", "etapas": line["etapas"][1:]} for line in lines]
    assert count_statements(database_url, lines[0], changed=1) == count_statements(database_url, *lines[1:], changed=4)
    assert count_statements(database_url, lines[0], changed=0) == count_statements(database_url, *lines[1:], changed=0)
    with recorded() as sent:
        assert load(database_url, JOBS[0], *changed, *changed) == 5
    assert len(sent.texts) <= 12
    query = """
    SELECT titulo,
        (SELECT array_agg((titulo, ordem) ORDER BY ordem) FROM employability.job_step WHERE id_vaga = job.id),
        (SELECT array_agg(titulo ORDER BY ordem) FROM employability.job_question WHERE id_vaga = job.id),
        (SELECT array_agg((de, evento, para) ORDER BY id) FROM employability.job_event WHERE id_vaga = job.id)
    FROM employability.job WHERE id = ANY($1::uuid[])
    """
    history = [(None, "import", "em_edicao"), ("em_edicao", "import", "em_edicao")]
    for job in sql(query, [line["id"] for line in lines]):
        assert tuple(job) == ("Outro", [("Entrevista", 1)], ["Por quê?", "Turno?"], history)


def count_statements(database_url: str, *lines: dict[str, Any], changed: int) -> int:
    with recorded() as sent:
        assert load(database_url, JOBS[0], *lines) == changed
    return len(sent.texts)


PARTS = {
    "etapas": "SELECT id::text, titulo FROM employability.job_step WHERE id_vaga = $1 ORDER BY ordem",
    "informacoes_complementares": "SELECT id::text, titulo FROM employability.job_question WHERE id_vaga = $1"
    " ORDER BY ordem",
}


@pytest.mark.parametrize("member", PARTS)
def test_a_part_put_before_stored_ones_is_another_one(database_url: str, sql: Sql, member: str) -> None:
    load(database_url, COMPANIES[0], {"cnpj": COMPANY, "razao_social": "Aurora"})
    line = describe_job(id=str(uuid4()), titulo="Outro")
    load(database_url, JOBS[0], line)

    def make_part(titulo: str) -> dict[str, Any]:
        return {"titulo": titulo} if member == "etapas" else {"titulo": titulo, "tipo_campo": "resposta_curta"}

    def read_parts() -> dict[str, str]:
        return {row["titulo"]: row["id"] for row in sql(PARTS[member], line["id"])}

    stored = read_parts()
    kept = [part | {"id": stored[part["titulo"]]} for part in line[member]]
    before = line | {member: [make_part("Prova"), *kept]}
    assert [load(database_url, JOBS[0], before) for _ in range(2)] == [1, 0]
    with_first = read_parts()
    assert list(with_first) == ["Prova", *stored]
    assert with_first.items() > stored.items()
    # A new part must not reuse the id of a removed part, because candidates and answers refer to the removed part.
    another = line | {member: [make_part("Dinâmica"), kept[0]]}
    assert [load(database_url, JOBS[0], another) for _ in range(2)] == [1, 0]
    found = read_parts()
    assert found[kept[0]["titulo"]] == kept[0]["id"]
    assert found["Dinâmica"] not in with_first.values()


def test_each_member_of_a_job_comes_back_as_it_was_sent(database_url: str, sql: Sql) -> None:
    load(database_url, COMPANIES[0], {"cnpj": COMPANY, "razao_social": "Aurora"})
    awkward = "{\"a\", 'b': [null]}, \\ ção"
    line = describe_job(
        id=str(uuid4()),
        status="publicado_ativo",
        titulo=f"Outro {awkward}",
        descricao=f"{awkward}\n\tna segunda linha",
        diferenciais=awkward,
        beneficios=awkward,
        valor_vaga=2100.5,
        quantidade_estimada_contratacoes=2,
        acessibilidade_pcd="para_pcd",
        idade_minima=18,
        idade_maxima=60,
        id_escolaridade_minima=value(Kind.SCHOOLING, "Médio completo"),
        bairros_elegibilidade=[awkward, "Centro"],
        areas_formacao_elegibilidade=["null", awkward],
        data_limite="2099-12-01T10:20:30.123456-03:00",
        publicado_em="2026-03-02T09:00:00.5-03:00",
        created_at="2026-03-01T00:00:00Z",
        etapas=[{"titulo": awkward, "descricao": awkward}, {"titulo": "Outra", "descricao": awkward}],
        informacoes_complementares=[
            {"titulo": awkward, "tipo_campo": "selecao_unica", "opcoes": [awkward, "null"], "obrigatorio": True},
            {"titulo": "Anos?", "tipo_campo": "resposta_numerica", "valor_minimo": -(2**53) + 1, "valor_maximo": 0},
        ],
    )
    assert [load(database_url, JOBS[0], line) for _ in range(2)] == [1, 0]
    assert_stored(sql, line)
    other = line | {"titulo": "Outro", "bairros_elegibilidade": [], "etapas": line["etapas"][:1]}
    other["informacoes_complementares"] = [line["informacoes_complementares"][0] | {"opcoes": ["Um", awkward]}]
    assert [load(database_url, JOBS[0], other) for _ in range(2)] == [1, 0]
    assert_stored(sql, other)


def assert_stored(sql: Sql, line: dict[str, Any]) -> None:
    """Check that the stored job equals the imported line, including the parts' ids."""
    [[stored]] = sql("SELECT to_jsonb(job)::text FROM employability.job WHERE id = $1", line["id"])
    job = msgspec.json.decode(stored)
    instants = ("data_limite", "publicado_em", "created_at")
    assert {name: datetime.fromisoformat(job[name]) for name in instants} == {
        name: datetime.fromisoformat(line[name]) for name in instants
    }
    members = job.keys() & line.keys() - {*instants}
    assert len(members) == 21
    assert {name: job[name] for name in members} == {name: line[name] for name in members}
    for member, table, part in (("etapas", "step", "etapa"), ("informacoes_complementares", "question", "pergunta")):
        rows = sql(f"SELECT to_jsonb(part)::text FROM employability.job_{table} AS part WHERE id_vaga = $1", line["id"])
        parts = sorted((msgspec.json.decode(row[0]) for row in rows), key=lambda row: row["ordem"])
        for place, (found, sent) in enumerate(zip(parts, line[member], strict=True)):
            assert found.items() >= sent.items()
            assert UUID(found["id"]) == uuid5(UUID(line["id"]), f"{part}:{place}")


@pytest.mark.parametrize("name", ["publicado_em", "created_at"])
def test_nothing_of_a_file_has_happened_tomorrow(database_url: str, name: str) -> None:
    load(database_url, COMPANIES[0], {"cnpj": COMPANY, "razao_social": "Aurora"})
    line = describe_job(id=str(uuid4()), status="publicado_ativo")
    today, tomorrow = utc_now() - timedelta(minutes=1), utc_now() + timedelta(days=1)
    assert load(database_url, JOBS[0], line | {name: today.isoformat(timespec="seconds")}) == 1
    with pytest.raises(Invalid, match=f"`{name}` está no futuro"):
        load(database_url, JOBS[0], line | {"id": str(uuid4()), name: tomorrow.isoformat(timespec="seconds")})


def test_an_instant_without_offset_is_meant_by_the_clock_of_the_city(database_url: str, sql: Sql) -> None:
    load(database_url, COMPANIES[0], {"cnpj": COMPANY, "razao_social": "Aurora"})
    line = describe_job(id=str(uuid4()), status="publicado_ativo", data_limite="2099-12-01", publicado_em="2026-03-02")
    row = msgspec.json.decode(msgspec.json.encode(line), type=JOBS[0].row)

    async def run() -> None:
        owner = Database(database_url, size=1, role=None)
        await owner.open()
        async with owner.connection() as connection:
            await set_zone(connection, "America/Rio_Branco")
            assert await JOBS[0].write_batch(connection, [row]) == 1
        await owner.close()

    asyncio.run(run())
    [job] = sql("SELECT data_limite, publicado_em FROM employability.job WHERE id = $1", line["id"])
    assert tuple(job) == (datetime(2099, 12, 2, 4, 59, 59, tzinfo=UTC), datetime(2026, 3, 2, 5, tzinfo=UTC))


def test_a_job_of_a_file_is_checked_as_one_that_is_sent(database_url: str) -> None:
    for fault in ({"bairro": None}, {"titulo": ""}, {"valor_vaga": -1}):
        with pytest.raises(Exception, match=r"bairro|titulo|valor_vaga"):
            load(database_url, JOBS[0], describe_job(id=str(uuid4()), status="publicado_ativo") | fault)


def test_the_sandbox_has_a_job_in_every_state(
    load_demo: Callable[[], Mapping[str, Any]], examples: Mapping[str, Any], sql: Sql
) -> None:
    query = """
    SELECT titulo, employability.shown_status(status, data_limite, now()) AS shown, id_orgao_parceiro AS department
    FROM employability.job WHERE id = ANY($1)
    """
    ids = [sandbox_job_id(f"V{number}") for number in range(1, 13)]  # other tests import jobs with the same titles
    jobs = {row["titulo"]: (row["shown"], row["department"]) for row in sql(query, ids)}
    assert jobs == {
        "Confeiteiro": ("publicado_ativo", "1900"),
        "Atendente": ("publicado_ativo", "1900"),
        "Pedreiro": ("vaga_congelada", "1900"),
        "Recepcionista bilíngue": ("publicado_expirado", "2600"),
        "Assistente": ("publicado_ativo", "2600"),
        "Mestre de obras": ("em_edicao", None),
        "Técnico de enfermagem": ("em_aprovacao", "2600"),
        "Motorista": ("vaga_descontinuada", "1900"),
        "Auxiliar de cozinha": ("publicado_ativo", "1900"),
        "Operador de caixa": ("publicado_ativo", "1900"),
        "Eletricista predial": ("em_aprovacao", "1900"),
        "Aprendiz de logística": ("em_edicao", "1900"),
    }
    kinds = sql("SELECT tipo_campo FROM employability.job_question WHERE id_vaga = $1::text::uuid", examples["vaga_id"])
    assert len({kind["tipo_campo"] for kind in kinds}) == 4
    sql("UPDATE employability.job SET titulo = 'Padeiro' WHERE titulo = 'Pedreiro'")
    load_demo()
    assert len(sql("SELECT FROM employability.job WHERE titulo IN ('Padeiro', 'Pedreiro')")) == 1
