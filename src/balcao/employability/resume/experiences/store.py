"""SQL of the resume's experiences."""

from uuid import UUID

from balcao.core.database.pool import Connection, Row
from balcao.core.database.queries import fetch_count
from balcao.core.values.cpf import Cpf
from balcao.employability.resume.experiences.schemas import Experience, ExperienceBody

_COLUMNS = """
    id, cpf, cargo, empresa, descricao_atividades, eh_trabalho_atual, experiencia_comprovada_ct,
    tempo_experiencia_meses, created_at, updated_at
"""

_READ = f"SELECT {_COLUMNS} FROM employability.experience WHERE id = $1"  # noqa: S608 - constants


async def read(connection: Connection, id_: UUID) -> Experience | None:
    row = await connection.fetchrow(_READ, id_)
    return _to_experience(row) if row else None


_COUNT = "SELECT count(*) FROM employability.experience WHERE cpf = $1"


async def count(connection: Connection, cpf: Cpf) -> int:
    return await fetch_count(connection, _COUNT, cpf.digits)


_INSERT = f"""
INSERT INTO employability.experience
    (id, cpf, cargo, empresa, descricao_atividades, eh_trabalho_atual, experiencia_comprovada_ct,
     tempo_experiencia_meses)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
RETURNING {_COLUMNS}
"""  # noqa: S608 - constants


async def insert(connection: Connection, id_: UUID, cpf: Cpf, body: ExperienceBody) -> Experience:
    row = await connection.fetchrow(
        _INSERT,
        id_,
        cpf.digits,
        body.cargo,
        body.empresa,
        body.descricao_atividades,
        body.eh_trabalho_atual,
        body.experiencia_comprovada_ct,
        body.tempo_experiencia_meses,
    )
    return _to_experience(row)


def _to_experience(row: Row) -> Experience:
    return Experience(**dict(row))
