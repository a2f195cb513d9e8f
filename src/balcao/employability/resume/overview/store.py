"""SQL for the complete resume, which is read as one JSON document."""

from balcao.core.database.lookups import lookup
from balcao.core.database.pool import Source
from balcao.core.values.cpf import Cpf
from balcao.employability.reference_values.kinds import RANKED
from balcao.employability.resume.overview.schemas import StoredResume
from balcao.employability.resume.sections.records import SECTIONS, Section


def _value(column: str, *, ranked: bool = False) -> str:
    """Return an SQL expression that reads the reference value to which a column refers."""
    members = "'id', id, 'descricao', descricao, 'created_at', created_at, 'updated_at', updated_at"
    members += ", 'ordem', posicao" if ranked else ""
    return f"""(
        SELECT jsonb_build_object({members}) FROM employability.reference_value AS value
        WHERE value.id = entry.{column})"""


def _list(columns: str, rest: str) -> str:
    """Return an SQL expression that creates a JSON array from the selected rows, in their order."""
    return f"(SELECT coalesce(jsonb_agg(to_jsonb(listed)), '[]') FROM (SELECT {columns} {rest}) AS listed)"


def _section(section: Section) -> str:
    nested = (
        f", {_value(column, ranked=reference.kind in RANKED)} AS {reference.member}"
        for column, reference in section.references.items()
    )
    columns = f"id, cpf, {', '.join(section.columns)}, created_at, updated_at{''.join(nested)}"
    return _list(columns, f"FROM {section.table} AS entry WHERE cpf = :cpf ORDER BY {section.order}")


_JOB_SEARCH = f"""(
    SELECT jsonb_build_object(
        'cpf', cpf, 'id_situacao', id_situacao, 'id_disponibilidade', id_disponibilidade,
        'tempo_procurando_emprego', tempo_procurando_emprego,
        'ids_tipos_vinculo_preferencia', (
            SELECT coalesce(jsonb_agg(id_regime ORDER BY place), '[]')
            FROM employability.preferred_contract AS preferred WHERE preferred.cpf = entry.cpf),
        'situacao', {_value("id_situacao")}, 'disponibilidade', {_value("id_disponibilidade")},
        'created_at', created_at, 'updated_at', updated_at)
    FROM employability.job_search AS entry WHERE cpf = :cpf)"""
_BEHAVIOURS = _list(
    """link.id, link.cpf, link.id_comportamento_atitudes, jsonb_build_object('id', behaviour.id, 'nome', behaviour.nome,
        'created_at', behaviour.created_at, 'updated_at', behaviour.updated_at) AS comportamento_atitudes,
    link.created_at, link.updated_at""",
    """FROM employability.behaviour_link AS link
    JOIN employability.behaviour ON behaviour.id = link.id_comportamento_atitudes
    WHERE link.cpf = :cpf ORDER BY link.created_at DESC, link.id DESC""",
)
_SKILLS = _list(
    """link.id, link.cpf, link.id_area_atuacao_habilidade, skill.id AS id_habilidade, skill.nome AS habilidade,
    area.id AS id_area_atuacao, area.nome AS area_atuacao, link.created_at, link.updated_at""",
    """FROM employability.skill_link AS link
    JOIN employability.skill_area AS pair ON pair.id = link.id_area_atuacao_habilidade
    JOIN employability.skill ON skill.id = pair.skill_id
    JOIN employability.work_area AS area ON area.id = pair.area_id
    WHERE link.cpf = :cpf ORDER BY link.created_at DESC, link.id DESC""",
)
_MEMBERS = {
    **{section.member: _section(section) for section in SECTIONS},
    "situacao_interesses": _JOB_SEARCH,
    "resumo_profissional": "coalesce(root.resumo_profissional, '')",
    "comportamento_atitudes": _BEHAVIOURS,
    "area_atuacao_habilidade": _SKILLS,
}
_CONTENT = ", ".join(f"'{name}', {text}" for name, text in _MEMBERS.items())


@lookup(f"""
SELECT root.row_version AS version, jsonb_build_object({_CONTENT}) AS content
FROM (VALUES (:cpf::text)) AS person (cpf) LEFT JOIN employability.resume AS root USING (cpf)
""")
async def read_stored_resume(source: Source, cpf: Cpf) -> StoredResume:
    """Return a person's whole resume with the full CPF. It is empty if the person has none."""


OFFERED = (read_stored_resume,)
