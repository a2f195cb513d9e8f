"""The ten kinds of reference values. The enum's values are parts of paths."""

from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple
from uuid import NAMESPACE_URL, UUID, uuid5

_NAMESPACE = uuid5(NAMESPACE_URL, "balcao:employability")


class Kind(StrEnum):
    CONTRACT_TYPE = "regimes-contratacao"
    WORK_MODEL = "modelos-trabalho"
    DISABILITY_TYPE = "tipos-pcd"
    LANGUAGE = "idiomas"
    LANGUAGE_LEVEL = "niveis-idioma"
    SCHOOLING = "escolaridades"
    ACHIEVEMENT_TYPE = "tipos-conquista"
    CURRENT_SITUATION = "situacoes-atual"
    AVAILABILITY = "disponibilidades"
    ZONE = "zonas"


class ValueKey(NamedTuple):
    """The key of a reference value. An id is valid only together with its own kind."""

    kind: Kind
    id: UUID


# The values of these kinds are ranked, so that a later level satisfies a requirement for an earlier level. Responses
# contain the rank as `ordem`.
RANKED = frozenset({Kind.LANGUAGE_LEVEL, Kind.SCHOOLING})


@dataclass(frozen=True)
class Noun:
    """The names of a kind in operation keys and descriptions.

    `one` is a singular noun with its article, and `example` is the text of a seed value.
    """

    key: str
    plural_key: str
    one: str
    many: str
    example: str


NOUNS = {
    Kind.CONTRACT_TYPE: Noun(
        "contract_type", "contract_types", "um regime de contratação", "regimes de contratação", "CLT"
    ),
    Kind.WORK_MODEL: Noun("work_model", "work_models", "um modelo de trabalho", "modelos de trabalho", "Remoto"),
    Kind.DISABILITY_TYPE: Noun(
        "disability_type", "disability_types", "um tipo de deficiência", "tipos de deficiência", "Física"
    ),
    Kind.LANGUAGE: Noun("language", "languages", "um idioma", "idiomas", "Inglês"),
    Kind.LANGUAGE_LEVEL: Noun(
        "language_level", "language_levels", "um nível de idioma", "níveis de idioma", "Avançado"
    ),
    Kind.SCHOOLING: Noun("schooling", "schoolings", "uma escolaridade", "escolaridades", "Superior completo"),
    Kind.ACHIEVEMENT_TYPE: Noun(
        "achievement_type", "achievement_types", "um tipo de conquista", "tipos de conquista", "Certificado"
    ),
    Kind.CURRENT_SITUATION: Noun(
        "current_situation", "current_situations", "uma situação atual", "situações atuais", "Desempregado(a)"
    ),
    Kind.AVAILABILITY: Noun("availability", "availabilities", "uma disponibilidade", "disponibilidades", "Imediato"),
    Kind.ZONE: Noun("zone", "zones", "uma zona", "zonas da cidade", "Centro"),
}


def seed_value_id(kind: Kind, descricao: str) -> UUID:
    """Return the id of a seed value. It is the same in every installation (rules: employability 3)."""
    return uuid5(_NAMESPACE, f"{kind}:{descricao}")
