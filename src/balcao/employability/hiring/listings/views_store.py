"""How a job is read: one JSON document, with all that its record nests, as it is shown at the instant `:now`."""

from balcao.core.exports.declaration import Export, Exports, Rows
from balcao.employability.companies.schemas import Company

FROM = """
FROM employability.job
JOIN employability.company ON company.cnpj = job.id_contratante
LEFT JOIN employability.department ON department.cd_ua = job.id_orgao_parceiro
"""
SHOWN = "employability.shown_status(job.status, job.data_limite, :now)"


# The condition of a job within the reach of a `Scope`.
REACHED = """(:departments::text[] IS NULL OR job.id_orgao_parceiro = ANY(:departments)
    OR (job.id_orgao_parceiro IS NULL AND job.criado_por = :author))"""


def _object(row: str, members: str) -> str:
    """Return the JSON object of these columns of a row."""
    pairs = ", ".join(f"'{name}', {row}.{name}" for name in members.split())
    return f"jsonb_build_object({pairs})"


def _reference(row: str, *, ranked: bool = False) -> str:
    members = _object(row, "id descricao created_at updated_at")
    return f"{members} || jsonb_build_object('ordem', {row}.posicao)" if ranked else members


def _value(column: str, *, ranked: bool = False) -> str:
    """Return the record of the reference value that a column names."""
    record = _reference("value", ranked=ranked)
    return f"(SELECT {record} FROM employability.reference_value AS value WHERE value.id = {column})"


def _values(kind: str) -> str:
    """Return the job's reference values of one kind, in the order of their table."""
    return f"""(
        SELECT coalesce(jsonb_agg({_reference("value")} ORDER BY value.posicao, value.id), '[]')
        FROM employability.job_reference_value AS linked
        JOIN employability.reference_value AS value ON value.id = linked.value_id AND value.kind = '{kind}'
        WHERE linked.job_id = job.id)"""


def _value_ids(kind: str) -> str:
    """Return the ids of the job's reference values of one kind."""
    return f"""(
        SELECT coalesce(json_agg(value.id), '[]')
        FROM employability.job_reference_value AS linked
        JOIN employability.reference_value AS value ON value.id = linked.value_id AND value.kind = '{kind}'
        WHERE linked.job_id = job.id)"""


_LANGUAGES = f"""(
    SELECT coalesce(jsonb_agg(jsonb_build_object(
        'id_idioma', linked.id_idioma, 'id_nivel_minimo', linked.id_nivel_minimo,
        'idioma', {_reference("value")},
        'nivel_minimo', {_reference("level", ranked=True)}) ORDER BY value.posicao, value.id), '[]')
    FROM employability.job_language AS linked
    JOIN employability.reference_value AS value ON value.id = linked.id_idioma
    JOIN employability.reference_value AS level ON level.id = linked.id_nivel_minimo
    WHERE linked.job_id = job.id)"""
_STEPS = f"""(
    SELECT coalesce(jsonb_agg({_object("step", "id id_vaga titulo descricao ordem created_at updated_at")}
        ORDER BY step.ordem), '[]')
    FROM employability.job_step AS step WHERE step.id_vaga = job.id)"""
_QUESTION = (
    _object("question", "id id_vaga titulo obrigatorio tipo_campo valor_minimo valor_maximo created_at updated_at")
    + " || jsonb_build_object('opcoes', nullif(question.opcoes, '{}'))"
)
_QUESTIONS = f"""(
    SELECT coalesce(jsonb_agg({_QUESTION} ORDER BY question.ordem), '[]')
    FROM employability.job_question AS question WHERE question.id_vaga = job.id)"""

# The columns of what staff decide about a job.
DECIDED = (
    "titulo descricao id_contratante id_regime_contratacao id_modelo_trabalho id_orgao_parceiro bairro data_limite "
    "requisitos diferenciais responsabilidades beneficios valor_vaga quantidade_estimada_contratacoes "
    "acessibilidade_pcd idade_minima idade_maxima id_escolaridade_minima bairros_elegibilidade "
    "areas_formacao_elegibilidade"
)
# The columns of a job that are answered as they are stored.
PLAIN = f"id {DECIDED} publicado_em created_at updated_at"
SLUG = "job.titulo_slug || '-' || left(replace(job.id::text, '-', ''), 12)"
_COMPANY = _object("company", " ".join(Company.__struct_fields__))
ITEM = f"""
    {", ".join(f"job.{name}" for name in PLAIN.split())},
    {SHOWN} AS status,
    {SLUG} AS slug,
    {_COMPANY} AS contratante,
    {_value("job.id_regime_contratacao")} AS regime_contratacao,
    {_value("job.id_modelo_trabalho")} AS modelo_trabalho,
    {_value("job.id_escolaridade_minima", ranked=True)} AS escolaridade_minima,
    CASE WHEN department.cd_ua IS NOT NULL THEN {_object("department", "orgao_id cd_ua name sigla")} END
        AS orgao_parceiro,
    {_values("tipos-pcd")} AS tipos_pcd,
    {_values("zonas")} AS zonas,
    {_LANGUAGES} AS idiomas_requisito"""
WHOLE = f"{ITEM},\n    {_STEPS} AS etapas,\n    {_QUESTIONS} AS informacoes_complementares"
# What a job consists of, with the ids alone of what it refers to.
CONTENT = f"""
    job.id, {SHOWN} AS status, {", ".join(f"job.{name}" for name in DECIDED.split())},
    {_value_ids("tipos-pcd")} AS tipos_pcd,
    {_value_ids("zonas")} AS zonas,
    (SELECT coalesce(json_agg(json_build_object('id_idioma', id_idioma, 'id_nivel_minimo', id_nivel_minimo)), '[]')
     FROM employability.job_language WHERE job_id = job.id) AS idiomas_requisito,
    (SELECT coalesce(json_agg(json_build_object('id', id, 'titulo', titulo, 'descricao', descricao)
        ORDER BY ordem), '[]')
     FROM employability.job_step WHERE id_vaga = job.id) AS etapas,
    (SELECT coalesce(json_agg(json_build_object('id', id, 'titulo', titulo, 'obrigatorio', obrigatorio,
        'tipo_campo', tipo_campo, 'valor_minimo', valor_minimo, 'valor_maximo', valor_maximo, 'opcoes', opcoes)
        ORDER BY ordem), '[]')
     FROM employability.job_question WHERE id_vaga = job.id) AS informacoes_complementares"""
# What an application shows of its job, which stays readable after the job was deleted.
SUMMARY = f"""
    job.id, job.titulo, job.data_limite, job.id_orgao_parceiro,
    CASE WHEN job.deleted_at IS NULL THEN {SHOWN} ELSE 'vaga_descontinuada' END AS status,
    {SLUG} AS slug,
    {_COMPANY} AS contratante,
    {_STEPS} AS etapas,
    {_QUESTIONS} AS informacoes_complementares"""


_LINE = """
to_jsonb(stored) - '{titulo_folded,bairro_folded}'::text[] || jsonb_build_object(
    'tipos_pcd', (
        SELECT coalesce(jsonb_agg(jsonb_build_object('id', value.id) ORDER BY value.id), '[]')
        FROM employability.job_reference_value AS named
        JOIN employability.reference_value AS value ON value.id = named.value_id
        WHERE job_id = stored.id AND value.kind = 'tipos-pcd'),
    'zonas', (
        SELECT coalesce(jsonb_agg(jsonb_build_object('id', value.id) ORDER BY value.id), '[]')
        FROM employability.job_reference_value AS named
        JOIN employability.reference_value AS value ON value.id = named.value_id
        WHERE job_id = stored.id AND value.kind = 'zonas'),
    'idiomas_requisito', (
        SELECT coalesce(jsonb_agg(to_jsonb(language) - 'job_id' ORDER BY id_idioma), '[]')
        FROM employability.job_language AS language WHERE job_id = stored.id),
    'etapas', (
        SELECT coalesce(jsonb_agg(to_jsonb(step) - 'id_vaga' ORDER BY ordem), '[]')
        FROM employability.job_step AS step WHERE id_vaga = stored.id),
    'informacoes_complementares', (
        SELECT coalesce(jsonb_agg(to_jsonb(question) - 'id_vaga' ORDER BY ordem), '[]')
        FROM employability.job_question AS question WHERE id_vaga = stored.id))
"""
EXPORTS = Exports(
    [
        Export("jobs", Rows("employability.job", _LINE, "stored.deleted_at IS NULL")),
        Export("deleted-jobs", Rows("employability.job", _LINE, "stored.deleted_at IS NOT NULL")),
    ],
    tables=("employability.job_event",),
    derived=(
        "employability.job_reference_value",
        "employability.job_language",
        "employability.job_step",
        "employability.job_question",
    ),
)
