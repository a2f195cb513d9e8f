"""The links from a resume to behaviours, and to skills in their work areas (rules: employability 2.11)."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

from balcao.core.errors import Conflict, Invalid
from balcao.employability.resume.links.schemas import (
    BehaviourLink,
    BehaviourLinkBody,
    BehaviourLinks,
    SkillLink,
    SkillLinkBody,
    SkillLinks,
)

MAX_LINKS = 50


@dataclass(frozen=True, eq=False)
class LinkKind:
    """A kind of link.

    `path` is the kind's name on the wire, and `member` its name in the complete resume. In `table`, `column` contains
    the id of the linked catalogue entry. `one` is a singular noun with its article.
    """

    path: str
    member: str
    table: str
    column: str
    record: type[Any]
    listed: type[Any]
    body: type[Any]
    one: str
    removed: str

    def __str__(self) -> str:
        """Return the kind's path, which identifies its statements."""
        return self.path


@dataclass(frozen=True, eq=False)
class Linking:
    """The functions for adding a link of one kind.

    `is_asked_for` returns whether an existing link is the requested one. The other functions create errors.

    This class is separate from `LinkKind`, because the API description lists the errors of each operation, and only the
    operation that adds a link raises these errors.
    """

    kind: LinkKind
    is_asked_for: Callable[[Any, Any], bool]
    refuse_unknown: Callable[[], Invalid]
    refuse_more: Callable[[], Conflict]


class ListRefusals(NamedTuple):
    """The functions that create the errors for a call that saves all links of a kind.

    `repeated` is also the error for too many entries.
    """

    repeated: Callable[[], Invalid]
    unknown: Callable[[], Invalid]


BEHAVIOURS = LinkKind(
    path="comportamentos-atitudes",
    member="comportamento_atitudes",
    table="employability.behaviour_link",
    column="id_comportamento_atitudes",
    record=BehaviourLink,
    listed=BehaviourLinks,
    body=BehaviourLinkBody,
    one="um comportamento ou atitude",
    removed="Comportamento ou atitude retirado do currículo.",
)
SKILLS = LinkKind(
    path="habilidades",
    member="area_atuacao_habilidade",
    table="employability.skill_link",
    column="id_area_atuacao_habilidade",
    record=SkillLink,
    listed=SkillLinks,
    body=SkillLinkBody,
    one="uma habilidade",
    removed="Habilidade retirada do currículo.",
)
LINK_KINDS = (BEHAVIOURS, SKILLS)

BEHAVIOUR_LINKING = Linking(
    BEHAVIOURS,
    lambda link, body: link.id_comportamento_atitudes == body.id_comportamento_atitudes,
    lambda: Invalid("O campo `id_comportamento_atitudes` não existe no catálogo.", code="behaviour-unknown"),
    lambda: Conflict(f"O currículo já tem {MAX_LINKS} comportamentos e atitudes.", code="behaviour-limit"),
)
SKILL_LINKING = Linking(
    SKILLS,
    lambda link, body: (
        link.id_habilidade == body.id_habilidade and body.id_area_atuacao in (None, link.id_area_atuacao)
    ),
    lambda: Invalid(
        "O campo `id_habilidade` não existe no catálogo, ou a habilidade não está nesta área.", code="skill-unknown"
    ),
    lambda: Conflict(f"O currículo já tem {MAX_LINKS} habilidades.", code="skill-limit"),
)

_REPEATED = f"deve ter no máximo {MAX_LINKS} itens, sem repetição."
_UNKNOWN = "tem um item que não existe no catálogo."
LIST_REFUSALS = {
    BEHAVIOURS: ListRefusals(
        lambda: Invalid(f"O campo `comportamento_atitudes_ids` {_REPEATED}", code="behaviour-list"),
        lambda: Invalid(f"O campo `comportamento_atitudes_ids` {_UNKNOWN}", code="behaviour-unknown"),
    ),
    SKILLS: ListRefusals(
        lambda: Invalid(f"O campo `area_atuacao_habilidade_ids` {_REPEATED}", code="skill-list"),
        lambda: Invalid(f"O campo `area_atuacao_habilidade_ids` {_UNKNOWN}", code="skill-unknown"),
    ),
}
