"""The ten kinds of reference values, by the word that their paths carry, and the ids of the seed data."""

from enum import StrEnum
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


def seed_value_id(kind: Kind, descricao: str) -> UUID:
    """Return the id of a value of the seed data, the same on every installation (rules: employability 3)."""
    return uuid5(_NAMESPACE, f"{kind}:{descricao}")
