"""The evaluation of a job's criteria, without a database or registry (rules: employability 4.4)."""

from datetime import UTC, date, datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest
from hypothesis import given
from hypothesis import strategies as st

from balcao.employability.hiring.content.schemas import LanguageRequirement
from balcao.employability.hiring.listings.schemas import Job
from balcao.employability.hiring.listings.states import JobStatus
from balcao.employability.reference_values.schemas import ReferenceValue
from balcao.employability.registry_people import PersonAddress, PersonRecord
from balcao.employability.resume.sections.schemas import Education, ResumeLanguage
from balcao.employability.selection.eligibility.criteria import (
    Facts,
    RegistryUnknown,
    check_criteria,
    may_need_registry,
)
from balcao.employability.texts import fold_line
from tests.support.rules import read_values

NOW = datetime(2026, 11, 22, tzinfo=UTC)
TODAY = date(2026, 11, 22)
SCHOOLING = [
    "Fundamental incompleto", "Fundamental completo", "Médio incompleto", "Médio completo", "Técnico",
    "Superior incompleto", "Superior completo", "Pós-graduação/MBA", "Mestrado", "Doutorado",
]  # fmt: skip
LEVELS = {fold_line(name): place for place, name in enumerate(SCHOOLING, 1)}


def value(descricao: str, ordem: int = 0) -> ReferenceValue:
    return ReferenceValue(UUID(int=hash(descricao) % 2**64), descricao, NOW, NOW, ordem)


def level(name: str) -> ReferenceValue:
    return value(name, LEVELS[fold_line(name)])


def job(**demands: Any) -> Job:
    members: dict[str, Any] = dict.fromkeys(Job.__struct_fields__)
    members |= {"id": uuid4(), "status": JobStatus.ACTIVE}
    lists = ("idiomas_requisito", "bairros_elegibilidade", "areas_formacao_elegibilidade", "tipos_pcd", "zonas")
    members |= {name: [] for name in lists} | demands
    if schooling := demands.get("escolaridade_minima"):
        members["id_escolaridade_minima"] = schooling.id
    return Job(**members)


def studied(name: str | None, status: str | None, course: str | None = None) -> Education:
    return Education(
        id=uuid4(),
        cpf="",
        id_escolaridade=None,
        nome_instituicao=None,
        nome_curso=course,
        status=status,  # type: ignore[arg-type]
        ano_conclusao=None,
        escolaridade=level(name) if name else None,
        created_at=NOW,
        updated_at=NOW,
    )


def met(demanding: Job, record: PersonRecord | None = None, **facts: Any) -> list[bool]:
    whole: dict[str, Any] = {"education": [], "languages": [], "levels": LEVELS, "today": TODAY} | facts
    return [each.atendido for each in check_criteria(demanding, Facts(record=record, **whole))]


@pytest.mark.cases("employability", "43")
@given(st.dates(date(1900, 1, 1), date(2026, 1, 1)), st.integers(0, 120))
def test_a_person_turns_older_on_the_birthday_and_not_the_day_before(birth: date, years: int) -> None:
    try:
        birthday = birth.replace(year=birth.year + years)
    except ValueError:  # 29 February does not exist in this year
        birthday = date(birth.year + years, 3, 1)
    assert PersonRecord(data_nascimento=birth).count_years(birthday) == years
    assert PersonRecord(data_nascimento=birth).count_years(birthday - timedelta(days=1)) == years - 1


@pytest.mark.parametrize(
    ("birth", "expected"),
    [(date(2008, 11, 23), False), (date(2008, 11, 22), True), (date(1996, 11, 22), True), (date(1995, 11, 22), False)],
)
def test_both_bounds_of_the_age_count(birth: date, expected: bool) -> None:
    found = met(job(idade_minima=18, idade_maxima=30), PersonRecord(data_nascimento=birth))
    assert all(found) is expected


def test_an_age_without_birth_date_is_not_met_and_without_registry_not_known() -> None:
    demanding = job(idade_minima=18)
    assert met(demanding, PersonRecord()) == [False]
    with pytest.raises(RegistryUnknown):
        met(demanding)
    assert may_need_registry(demanding)
    assert not may_need_registry(job(idiomas_requisito=[object()], areas_formacao_elegibilidade=["x"]))


@pytest.mark.cases("employability", "44")
@pytest.mark.parametrize(("demanded", "row", "declared", "is_met"), read_values("employability", "44"))
def test_schooling_counts_from_the_resume_or_as_declared(
    demanded: str, row: list[str | None] | None, declared: str | None, is_met: bool
) -> None:
    education = [studied(*row)] if row else []
    found = met(job(escolaridade_minima=level(demanded)), PersonRecord(escolaridade=declared), education=education)
    assert found == [is_met]


def test_a_resume_with_the_schooling_needs_no_registry() -> None:
    education = [studied("Doutorado", "Completo")]
    assert met(job(escolaridade_minima=level("Técnico")), education=education) == [True]
    with pytest.raises(RegistryUnknown):
        met(job(escolaridade_minima=level("Técnico")))


@pytest.mark.cases("employability", "45")
def test_each_language_is_a_criterion_of_its_own() -> None:
    english, spanish = value("Inglês"), value("Espanhol")
    basic, advanced = value("Básico", 1), value("Avançado", 3)
    demands = [
        LanguageRequirement(language.id, wanted.id, language, wanted)
        for language, wanted in ((english, advanced), (spanish, basic))
    ]
    speaks = [ResumeLanguage(uuid4(), "", english.id, basic.id, english, basic, NOW, NOW)]
    speaks += [ResumeLanguage(uuid4(), "", spanish.id, advanced.id, spanish, advanced, NOW, NOW)]
    assert met(job(idiomas_requisito=demands), languages=speaks) == [False, True]


def test_neighbourhood_is_equal_and_course_contained_both_folded() -> None:
    demanding = job(bairros_elegibilidade=["Vila  São João"], areas_formacao_elegibilidade=["NUTRIÇÃO"])
    lives = PersonRecord(endereco=PersonAddress(bairro="vila sao joao"))
    course = [studied(None, None, "Técnico em nutrição")]
    assert met(demanding, lives, education=course) == [True, True]
    assert met(demanding, PersonRecord(endereco=PersonAddress(bairro="São João"))) == [False, False]
    assert met(demanding, PersonRecord()) == [False, False]


@pytest.mark.parametrize(
    ("declared", "expected"),
    [
        ("Visual", True),
        (None, True),
        ("Não sou pessoa com deficiência", False),
        ("NAO SOU PESSOA COM DEFICIENCIA", False),
    ],
)
def test_only_who_denies_a_disability_is_refused(declared: str | None, expected: bool) -> None:
    assert met(job(acessibilidade_pcd="exclusivo_pcd"), PersonRecord(deficiencia=declared)) == [expected]
    assert met(job(acessibilidade_pcd="preferencial_pcd"), PersonRecord(deficiencia=declared)) == []
