"""The three catalogues of names. The enum's values are parts of paths."""

from dataclasses import dataclass
from enum import StrEnum


class Catalogue(StrEnum):
    BEHAVIOUR = "comportamentos-atitudes"
    SKILL = "habilidades"
    WORK_AREA = "habilidades/areas-atuacao"


@dataclass(frozen=True)
class Noun:
    """The names of a catalogue's entries in operation keys and descriptions.

    `one` is a singular noun with its article, and `example` is the id of an entry.
    """

    key: str
    plural_key: str
    one: str
    many: str
    example: int


NOUNS = {
    Catalogue.BEHAVIOUR: Noun("behaviour", "behaviours", "um comportamento ou atitude", "comportamentos e atitudes", 4),
    Catalogue.SKILL: Noun("skill", "skills", "uma habilidade", "habilidades", 37),
    Catalogue.WORK_AREA: Noun("work_area", "work_areas", "uma área de atuação", "áreas de atuação", 8),
}
