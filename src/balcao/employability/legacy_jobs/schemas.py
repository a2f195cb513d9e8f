"""What an older job is made of (rules: employability 3.5)."""

from datetime import datetime
from typing import Annotated, Literal

import msgspec

from balcao.employability.legacy_jobs.states import JobStatus

ContractKind = Literal["CLT", "ESTAGIO", "JOVEM_APRENDIZ", "MEI", "PJ"]
WorkingHours = Literal["INTEGRAL", "MEIO_PERIODO", "FLEXIVEL", "ESTAGIO", "HOME_OFFICE"]
Shift = Literal["MANHA", "TARDE", "NOITE", "INTEGRAL", "LIVRE"]
Openings = Annotated[int, msgspec.Meta(ge=1, le=10_000)]
Salary = Annotated[int, msgspec.Meta(ge=0, le=2**63 - 1)]


class LegacyJobBody(msgspec.Struct):
    """What staff write. `escolaridade_id` is the `ordem` of a schooling level."""

    titulo: str
    tipo_contratacao: ContractKind
    status: JobStatus
    descricao: str | None = None
    beneficios: str | None = None
    pre_requisitos: str | None = None
    contato_duvidas: str | None = None
    orgao_id: str | None = None
    escolaridade_id: Annotated[int, msgspec.Meta(ge=1, le=32767)] | None = None
    jornada_trabalho: WorkingHours | None = None
    turno: Shift | None = None
    numero_vagas: Openings | None = None
    salario_min: Salary | None = None
    salario_max: Salary | None = None
    latitude: Annotated[float, msgspec.Meta(ge=-90, le=90)] | None = None
    longitude: Annotated[float, msgspec.Meta(ge=-180, le=180)] | None = None
    data_inicio_prevista: datetime | None = None
    data_limite_candidatura: datetime | None = None
