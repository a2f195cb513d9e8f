"""A city's jobs and applications. The database generates them, with the same rows on every machine.

A million applications take some minutes. Referenced rows are inserted first, so that foreign keys are valid.
"""

from dataclasses import dataclass

import asyncpg

from balcao.core.values.cpf import Cpf

# The number of applications for each person. Each one is for a different job.
EACH = 5
DEPARTMENTS = 40


@dataclass(frozen=True)
class City:
    """The size of a city. Job 1 has `crowd` additional applications."""

    jobs: int
    people: int
    crowd: int

    @property
    def applications(self) -> int:
        """Return the total number of applications."""
        return EACH * self.people + self.crowd


def person(number: int) -> str:
    """Return the CPF of the generated person with this number, counted from 0."""
    return Cpf.with_stem(f"7{number:08d}").digits


def job_id(number: int) -> str:
    """Return the id of the job with this number, counted from 1. Job 1 is the one with the additional applications."""
    return f"00000000-0000-4000-8000-{number:012x}"


_JOB = "('00000000-0000-4000-8000-' || lpad(to_hex({}), 12, '0'))::uuid"
_STEP = "('00000000-0000-4001-8000-' || lpad(to_hex({}), 12, '0'))::uuid"
_WORDS = "(ARRAY['Padeiro', 'Pedreiro', 'Enfermeira', 'Motorista', 'Recepcionista', 'Analista', 'Vendedor'])"
_NAMES = "(ARRAY['Ana', 'Bruno', 'Carla', 'Davi', 'Elisa', 'Fábio', 'Gilda', 'Hélio', 'Irene', 'João', 'Lúcia'])"
_LAST = "(ARRAY['Moreira', 'Tavares', 'Nogueira', 'Furtado', 'Prado', 'Queiroz', 'Peixoto', 'Lima', 'Bastos'])"
_SNAPSHOT = (
    '{"formacoes": [], "idiomas": [], "cursos_complementares": [], "experiencias": [], "conquistas": [],'
    ' "situacao_interesses": null, "resumo_profissional": "Trabalho na área há anos.", "comportamento_atitudes": [],'
    ' "area_atuacao_habilidade": []}'
)

_DEPARTMENTS = f"""
INSERT INTO employability.department (cd_ua, orgao_id, name, sigla, read_at)
SELECT '7' || n, gen_random_uuid()::text, 'Órgão ' || n, 'O' || n, now() FROM generate_series(1, {DEPARTMENTS}) AS n
"""  # noqa: S608 - our own numbers
_COMPANIES = f"""
INSERT INTO employability.company (cnpj, razao_social, nome_fantasia)
SELECT lpad(n::text, 12, '0') || '00', {_WORDS}[n % 7 + 1] || ' ' || n || ' Ltda.', 'Casa ' || n
FROM generate_series(1, greatest($1 / 10, 1)) AS n
"""  # noqa: S608 - our own texts
# A tenth of the jobs are drafts, and most other jobs expired long ago. Job 1, with the additional applications, is
# open.
_JOBS = f"""
INSERT INTO employability.job
    (id, titulo, titulo_slug, descricao, id_contratante, id_regime_contratacao, id_modelo_trabalho, id_orgao_parceiro,
     bairro, data_limite, requisitos, responsabilidades, status, publicado_em, criado_por, created_at)
SELECT {_JOB.format("n")}, {_WORDS}[n % 7 + 1] || ' ' || n, 'vaga', repeat('Descrição da vaga. ', 40),
    lpad((n % greatest($1 / 10, 1) + 1)::text, 12, '0') || '00', regime.id, model.id, '7' || (n % {DEPARTMENTS} + 1),
    (ARRAY['Centro', 'Praia Grande', 'Porto', 'Ilha'])[n % 4 + 1] || ' ' || n % 50,
    now() + make_interval(days => CASE WHEN n = 1 OR n % 20 = 2 THEN 30 ELSE -(n % 1000) - 1 END),
    repeat('Requisitos. ', 20), repeat('Responsabilidades. ', 20),
    CASE WHEN n % 10 = 3 THEN 'em_edicao' WHEN n % 10 = 4 THEN 'vaga_congelada' WHEN n % 10 = 5
        THEN 'vaga_descontinuada' ELSE 'publicado_ativo' END,
    CASE WHEN n % 10 <> 3 THEN now() - make_interval(days => n % 1000 + 30) END, 'bench',
    now() - make_interval(days => n % 1000 + 31, secs => n % 86400)
FROM generate_series(1, $1) AS n,
    (SELECT id FROM employability.reference_value WHERE kind = 'regimes-contratacao' ORDER BY posicao LIMIT 1) regime,
    (SELECT id FROM employability.reference_value WHERE kind = 'modelos-trabalho' ORDER BY posicao LIMIT 1) AS model
"""  # noqa: S608 - our own texts
_STEPS = f"""
INSERT INTO employability.job_step (id, id_vaga, titulo, descricao, ordem)
SELECT {_STEP.format("3 * n + place")}, {_JOB.format("n")}, 'Etapa ' || place, 'Conversa.', place
FROM generate_series(1, $1) AS n, generate_series(1, 3) AS place
"""  # noqa: S608 - our own texts
_QUESTIONS = f"""
INSERT INTO employability.job_question (id, id_vaga, titulo, obrigatorio, tipo_campo, opcoes, ordem)
SELECT gen_random_uuid(), {_JOB.format("n")}, 'Por quê?', false, 'resposta_curta', '{{}}', place
FROM generate_series(1, $1) AS n, generate_series(1, 2) AS place
"""  # noqa: S608 - our own texts
_JOB_EVENTS = f"""
INSERT INTO employability.job_event (id_vaga, evento, para, por)
SELECT {_JOB.format("n")}, 'create', 'em_edicao', 'bench' FROM generate_series(1, $1) AS n, generate_series(1, 3)
"""  # noqa: S608 - our own texts
# $1: CPFs, $2: number of jobs, $3: crowd. A third of the applications have a step.
_APPLICATIONS = f"""
INSERT INTO employability.application
    (id, cpf, nome, email, id_vaga, status, id_etapa_atual, origem, created_at, updated_at)
SELECT gen_random_uuid(), cpf, {_NAMES}[p % 11 + 1] || ' ' || {_LAST}[p / 11 % 9 + 1] || ' ' || p,
    'pessoa' || p || '@pessoa.example', {_JOB.format("job")}, status,
    CASE WHEN p % 3 = 0 AND status <> 'retirada' THEN {_STEP.format("3 * job + p % 3 + 1")} END,
    'cidadao', at, at
FROM (
    SELECT people.cpf, people.p, spread.job,
        now() - make_interval(secs => (people.p * 37 + spread.turn) % 60000000) AS at,
        (ARRAY['candidatura_enviada', 'candidatura_enviada', 'candidatura_enviada', 'candidatura_enviada',
               'candidatura_enviada', 'candidatura_enviada', 'aprovada', 'reprovada', 'reprovada', 'retirada']
        )[(people.p + spread.turn) % 10 + 1] AS status
    FROM unnest($1::text[]) WITH ORDINALITY AS people (cpf, p)
    CROSS JOIN LATERAL (
        SELECT (people.p * 7919 + turn * 3571) % ($2::bigint - 1) + 2 AS job, turn
        FROM generate_series(1, {EACH}) AS turn
        UNION ALL SELECT 1, 0 WHERE people.p <= $3
    ) AS spread (job, turn)
) AS made
"""  # noqa: S608 - our own texts
_CONTENT = f"""
INSERT INTO employability.application_content (id_candidatura, respostas, curriculo_snapshot)
SELECT id, '[]', '{_SNAPSHOT}' FROM employability.application
ON CONFLICT DO NOTHING
"""  # noqa: S608 - our own texts
_EVENTS = """
INSERT INTO employability.application_event (id_candidatura, evento, para, em)
SELECT id, 'submit', status, created_at FROM employability.application
WHERE id NOT IN (SELECT id_candidatura FROM employability.application_event)
"""
_BLOCKS = f"""
INSERT INTO employability.application_block (id, cpf, id_vaga, dia, criterios_nao_atendidos)
SELECT gen_random_uuid(), cpf, {_JOB.format("p % $2::bigint + 1")}, current_date, ARRAY['idade_minima']
FROM unnest($1::text[]) WITH ORDINALITY AS people (cpf, p)
"""  # noqa: S608 - our own texts
_RESUMES = "INSERT INTO employability.resume (cpf) SELECT unnest($1::text[])"
_TERMS = """
INSERT INTO employability.terms_acceptance (cpf, version, aceito_em)
SELECT cpf, '1', now() - make_interval(secs => p) FROM unnest($1::text[]) WITH ORDINALITY AS people (cpf, p)
"""
_BANK = f"""
INSERT INTO employability.bank_person (cpf, nome)
SELECT cpf, {_NAMES}[p % 11 + 1] || ' ' || {_LAST}[p / 11 % 9 + 1] || ' ' || p
FROM unnest($1::text[]) WITH ORDINALITY AS people (cpf, p)
"""  # noqa: S608 - our own texts


async def fill(connection: asyncpg.Connection, city: City) -> None:
    """Add the city's rows as the database's owner, and update the planner's statistics.

    The database may already contain the demo data.
    """
    people = [person(number) for number in range(city.people)]
    await connection.execute(_DEPARTMENTS)
    for statement in (_COMPANIES, _JOBS, _STEPS, _QUESTIONS, _JOB_EVENTS):
        await connection.execute(statement, city.jobs)
    for statement in (_RESUMES, _TERMS, _BANK):
        await connection.execute(statement, people)
    await connection.execute(_APPLICATIONS, people, city.jobs, city.crowd, timeout=3600)
    await connection.execute(_BLOCKS, people, city.jobs)
    await connection.execute(_CONTENT, timeout=3600)
    await connection.execute(_EVENTS, timeout=3600)
    await connection.execute("VACUUM ANALYZE", timeout=3600)
