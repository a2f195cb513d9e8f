"""The sandbox's resumes (rules: employability 7).

Their rows have fixed ids, so that an interrupted load can continue.
"""

from collections.abc import Mapping
from typing import Any

from balcao.core.context.call import Call, operator_call
from balcao.core.context.platform import Platform
from balcao.core.values.cpf import Cpf
from balcao.employability.reference_values.kinds import Kind, seed_value_id
from balcao.employability.resume.links import service as links
from balcao.employability.resume.links.kinds import BEHAVIOUR_LINKING, BEHAVIOURS, SKILL_LINKING
from balcao.employability.resume.links.schemas import BehaviourLinkBody, SkillLinkBody
from balcao.employability.resume.sections import service as sections
from balcao.employability.resume.sections.records import (
    ACHIEVEMENTS,
    COURSES,
    EDUCATION,
    EXPERIENCES,
    LANGUAGES,
    Section,
    demo_row_id,
)
from balcao.employability.resume.sections.schemas import (
    AchievementBody,
    ComplementaryCourseBody,
    EducationBody,
    ExperienceBody,
    ResumeLanguageBody,
)
from balcao.employability.resume.sections.store import list_section_rows

ANA, BRUNO, CARLA = Cpf("90000000175"), Cpf("90000000256"), Cpf("90000000337")
LINKED_BEHAVIOURS = (1, 4)
TRUCKS = 37  # the id of the skill "Direção categoria D"


def _schooling(level: str, course: str | None, year: str) -> EducationBody:
    return EducationBody(seed_value_id(Kind.SCHOOLING, level), "Escola Modelo", course, "Completo", year)


ROWS: tuple[tuple[Cpf, Section, Any], ...] = (
    (ANA, EDUCATION, _schooling("Superior completo", "Administração", "2018")),
    (
        ANA,
        LANGUAGES,
        ResumeLanguageBody(seed_value_id(Kind.LANGUAGE, "Inglês"), seed_value_id(Kind.LANGUAGE_LEVEL, "Avançado")),
    ),
    (ANA, COURSES, ComplementaryCourseBody("Atendimento ao público", "Escola Modelo", "2020")),
    (
        ANA,
        EXPERIENCES,
        ExperienceBody(
            "Auxiliar administrativa",
            "Papelaria Sol Nascente",
            "Atendimento, arquivo e emissão de notas.",
            experiencia_comprovada_ct=True,
            tempo_experiencia_meses=26,
        ),
    ),
    (
        ANA,
        EXPERIENCES,
        ExperienceBody(
            "Recepcionista",
            "Clínica Vila Clara",
            "Agenda, recepção e atendimento por telefone.",
            eh_trabalho_atual=True,
            tempo_experiencia_meses=14,
        ),
    ),
    (ANA, ACHIEVEMENTS, AchievementBody("Voluntária do ano", seed_value_id(Kind.ACHIEVEMENT_TYPE, "Reconhecimento"))),
    (BRUNO, EDUCATION, _schooling("Médio completo", None, "2003")),
    (CARLA, EDUCATION, _schooling("Fundamental completo", None, "1986")),
)


async def load_demo_resumes(platform: Platform) -> None:
    """Store missing rows and links."""
    call = operator_call(platform, "employability.demo")
    numbers: dict[Section, int] = {}
    for cpf, section, body in ROWS:
        numbers[section] = numbers.get(section, 0) + 1
        await _add(call, cpf, section, body, numbers[section])
    for behaviour in LINKED_BEHAVIOURS:
        await links.add_link(call, BEHAVIOUR_LINKING, ANA, BehaviourLinkBody(behaviour))
    await links.add_link(call, SKILL_LINKING, BRUNO, SkillLinkBody(TRUCKS))


async def _add(call: Call, cpf: Cpf, section: Section, body: Any, number: int) -> None:
    # A user may have deleted the language and added it again, with another id.
    if section is LANGUAGES:
        async with call.platform.database.connection() as connection:
            if await list_section_rows(connection, section, cpf):
                return
    await sections.add_row(call, section, cpf, body, demo_row_id(section, number))


async def find_resume_examples(platform: Platform) -> Mapping[str, Any]:
    """Return the id of an experience and, if one exists, the id of a link to a behaviour."""
    call = operator_call(platform, "employability.demo")
    linked = await links.read_links(call, BEHAVIOURS, ANA)
    return {
        "experience_id": str(demo_row_id(EXPERIENCES)),
        **({"behaviour_link_id": str(linked[-1].id)} if linked else {}),
    }
