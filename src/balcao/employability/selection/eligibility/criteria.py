"""Checks whether a person meets the criteria of a job (rules: employability 4.4), without SQL or HTTP."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date

from balcao.employability.hiring.content.schemas import LanguageRequirement
from balcao.employability.hiring.listings.schemas import Job
from balcao.employability.reference_values.schemas import ReferenceValue
from balcao.employability.registry_people import PersonRecord
from balcao.employability.resume.sections.schemas import Education, ResumeLanguage
from balcao.employability.selection.eligibility.schemas import CheckedCriterion, Code
from balcao.employability.texts import fold_line

EXCLUSIVE = "exclusivo_pcd"
COMPLETE = "Completo"
# The registry's value for a person without a disability, and the only schooling level that has a different name in the
# registry.
_NO_DISABILITY = fold_line("Não sou pessoa com deficiência")
_SAME_LEVELS = {fold_line("Pós Graduação"): fold_line("Pós-graduação/MBA")}
_UNFINISHED = fold_line("incompleto")


class RegistryUnknown(Exception):
    """Raised if a criterion needs the registry's record and the record is not available."""


@dataclass(frozen=True)
class Facts:
    """The known facts about a person.

    `record` is None if the registry was not read, or is down and there is no fresh copy. `levels` maps the folded name
    of each schooling level to its rank. `today` is the current day in the city.
    """

    education: Sequence[Education]
    languages: Sequence[ResumeLanguage]
    record: PersonRecord | None
    levels: Mapping[str, int]
    today: date

    def of_registry(self) -> PersonRecord:
        """Return the registry's record. Raises RegistryUnknown if it is not available."""
        if self.record is None:
            raise RegistryUnknown
        return self.record


def may_need_registry(job: Job) -> bool:
    """Return whether a criterion of the job may need the registry's record."""
    demanded = (job.idade_minima, job.idade_maxima, job.id_escolaridade_minima)
    return (
        any(each is not None for each in demanded)
        or bool(job.bairros_elegibilidade)
        or job.acessibilidade_pcd == EXCLUSIVE
    )


def check_criteria(job: Job, facts: Facts) -> list[CheckedCriterion]:
    """Return all criteria of the job, each with whether the person meets it.

    Raises RegistryUnknown if a criterion needs the registry's record and the record is not available.
    """
    return list(_check(job, facts))


def _check(job: Job, facts: Facts) -> Iterator[CheckedCriterion]:
    if job.idade_minima is not None:
        age = facts.of_registry().count_years(facts.today)
        is_met = age is not None and age >= job.idade_minima
        yield CheckedCriterion(Code.LOWEST_AGE, str(job.idade_minima), is_met)
    if job.idade_maxima is not None:
        age = facts.of_registry().count_years(facts.today)
        is_met = age is not None and age <= job.idade_maxima
        yield CheckedCriterion(Code.HIGHEST_AGE, str(job.idade_maxima), is_met)
    if job.escolaridade_minima is not None:
        demanded = job.escolaridade_minima
        yield CheckedCriterion(Code.SCHOOLING, demanded.descricao, _has_schooling(demanded, facts))
    for language in job.idiomas_requisito:
        wanted = f"{language.idioma.descricao}: {language.nivel_minimo.descricao}"
        yield CheckedCriterion(Code.LANGUAGE, wanted, _speaks(language, facts))
    if job.bairros_elegibilidade:
        wanted = ", ".join(job.bairros_elegibilidade)
        yield CheckedCriterion(Code.NEIGHBOURHOOD, wanted, _lives_in(job.bairros_elegibilidade, facts))
    if job.areas_formacao_elegibilidade:
        wanted = ", ".join(job.areas_formacao_elegibilidade)
        yield CheckedCriterion(Code.COURSE, wanted, _learned(job.areas_formacao_elegibilidade, facts))
    if job.acessibilidade_pcd == EXCLUSIVE:
        disability = facts.of_registry().deficiencia
        # Without a value in the registry, the criterion is met, because the employer verifies the disability.
        is_met = disability is None or fold_line(disability) != _NO_DISABILITY
        yield CheckedCriterion(Code.DISABILITY, EXCLUSIVE, is_met)


def _has_schooling(demanded: ReferenceValue, facts: Facts) -> bool:
    """Return whether the person has the required level.

    If the resume does not show it, the registry's record decides.
    """
    wanted = _order(demanded)
    takes_begun = _UNFINISHED in fold_line(demanded.descricao)
    for row in facts.education:
        if row.escolaridade is None:
            continue
        if row.status == COMPLETE and _order(row.escolaridade) >= wanted:
            return True
        if takes_begun and row.status is not None and row.escolaridade.id == demanded.id:
            return True
    declared = facts.of_registry().escolaridade
    if declared is None:
        return False
    name = fold_line(declared)
    return facts.levels.get(_SAME_LEVELS.get(name, name), 0) >= wanted


def _speaks(demanded: LanguageRequirement, facts: Facts) -> bool:
    wanted = _order(demanded.nivel_minimo)
    return any(row.id_idioma == demanded.id_idioma and _order(row.nivel) >= wanted for row in facts.languages)


def _lives_in(neighbourhoods: Sequence[str], facts: Facts) -> bool:
    address = facts.of_registry().endereco
    return address is not None and fold_line(address.bairro or "") in {fold_line(name) for name in neighbourhoods}


def _learned(areas: Sequence[str], facts: Facts) -> bool:
    courses = [fold_line(row.nome_curso) for row in facts.education if row.nome_curso]
    return any(fold_line(area) in course for area in areas for course in courses)


def _order(value: ReferenceValue) -> int:
    return value.ordem if isinstance(value.ordem, int) else 0
