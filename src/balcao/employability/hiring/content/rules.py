"""A job's content, and the checks that it is complete (rules: employability 3.3, 4.2)."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from decimal import Decimal
from operator import attrgetter
from uuid import UUID

import msgspec

from balcao.core.errors import Invalid
from balcao.employability.reference_values.kinds import Kind

SELECTIONS = frozenset({"selecao_unica", "selecao_multipla"})
PUBLISHING_FIELDS = ("bairro", "data_limite", "id_orgao_parceiro", "requisitos", "responsabilidades")
_list_publishing = attrgetter(*PUBLISHING_FIELDS)


class StepContent(msgspec.Struct, frozen=True):
    id: UUID
    titulo: str
    descricao: str


class QuestionContent(msgspec.Struct, frozen=True):
    id: UUID
    titulo: str
    obrigatorio: bool
    tipo_campo: str
    valor_minimo: int | None
    valor_maximo: int | None
    opcoes: Sequence[str]


class Language(msgspec.Struct, frozen=True):
    id_idioma: UUID
    id_nivel_minimo: UUID


class JobContent(msgspec.Struct, frozen=True, kw_only=True):
    """The part of a job that staff can edit. Lists keep their order."""

    titulo: str
    descricao: str
    id_contratante: str
    id_regime_contratacao: UUID
    id_modelo_trabalho: UUID
    id_orgao_parceiro: str | None
    bairro: str | None
    data_limite: datetime | None
    requisitos: str | None
    diferenciais: str | None
    responsabilidades: str | None
    beneficios: str | None
    valor_vaga: Decimal | None
    quantidade_estimada_contratacoes: int | None
    acessibilidade_pcd: str | None
    idade_minima: int | None
    idade_maxima: int | None
    id_escolaridade_minima: UUID | None
    bairros_elegibilidade: Sequence[str]
    areas_formacao_elegibilidade: Sequence[str]
    tipos_pcd: Sequence[UUID]
    zonas: Sequence[UUID]
    idiomas_requisito: Sequence[Language]
    etapas: Sequence[StepContent]
    informacoes_complementares: Sequence[QuestionContent]

    def list_references(self) -> list[tuple[str, Kind, UUID]]:
        """Return the wire field, the expected kind and the id of every reference value that the job uses."""
        found = [
            ("id_regime_contratacao", Kind.CONTRACT_TYPE, self.id_regime_contratacao),
            ("id_modelo_trabalho", Kind.WORK_MODEL, self.id_modelo_trabalho),
        ]
        if self.id_escolaridade_minima is not None:
            found.append(("id_escolaridade_minima", Kind.SCHOOLING, self.id_escolaridade_minima))
        found += [("tipos_pcd", Kind.DISABILITY_TYPE, id_) for id_ in self.tipos_pcd]
        found += [("zonas", Kind.ZONE, id_) for id_ in self.zonas]
        for language in self.idiomas_requisito:
            found.append(("idiomas_requisito.id_idioma", Kind.LANGUAGE, language.id_idioma))
            found.append(("idiomas_requisito.id_nivel_minimo", Kind.LANGUAGE_LEVEL, language.id_nivel_minimo))
        return found


class StoredContent(JobContent, frozen=True, kw_only=True):
    """The content, id and shown status of a stored job, for comparison with an import."""

    id: UUID
    status: str


def list_missing(content: JobContent) -> list[str]:
    """Return the wire fields that have no value although the job needs them to leave `em_edicao`."""
    missing = [name for name, value in zip(PUBLISHING_FIELDS, _list_publishing(content), strict=True) if value is None]
    missing += [f"etapas[{place}].descricao" for place, step in enumerate(content.etapas) if not step.descricao]
    return missing + [
        f"informacoes_complementares[{place}].opcoes"
        for place, question in enumerate(content.informacoes_complementares)
        if question.tipo_campo in SELECTIONS and not question.opcoes
    ]


def require_fields(missing: Iterable[str]) -> None:
    """Raise Invalid if `missing` contains any wire fields. The message names them all."""
    if names := ", ".join(f"`{name}`" for name in missing):
        raise Invalid(f"Falta preencher: {names}.", code="job-incomplete")


def require_future(limit: datetime | None, now: datetime) -> None:
    """Raise Invalid if `data_limite` has passed."""
    if limit is not None and limit <= now:
        raise Invalid("O campo `data_limite` deve estar no futuro.", code="data_limite-past")
