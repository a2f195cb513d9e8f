"""Saving a whole section of a resume keeps the ids of unchanged rows (rules: employability 2.8)."""

from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from balcao.core.context.call import operator_call
from balcao.core.context.platform import Platform
from balcao.core.values.cpf import Cpf
from balcao.employability.resume.sections import service
from balcao.employability.resume.sections.records import SECTIONS
from balcao.employability.resume.sections.schemas import ExperienceBody
from tests.support.fixture_types import Sql
from tests.support.proof_sizes import size

CARLA = "90000000337"


@pytest.fixture(autouse=True)
def _no_resumes(sql: Sql) -> Iterator[None]:
    yield
    sql("DELETE FROM employability.resume")


_experiences = st.lists(
    st.builds(
        ExperienceBody,
        cargo=st.sampled_from(["Caixa", "Padeira"]),
        empresa=st.just("Padaria"),
        tempo_experiencia_meses=st.integers(0, 2),
    ),
    max_size=8,
)


@settings(max_examples=size(30, 500), deadline=None)
@given(before=_experiences, after=_experiences)
async def test_a_save_ends_with_what_was_sent_and_keeps_every_row_it_can(
    platform: Platform, before: list[ExperienceBody], after: list[ExperienceBody]
) -> None:
    call, owner = operator_call(platform, "test.save").as_owner(), Cpf(CARLA)
    section = next(section for section in SECTIONS if section.path == "experiencias")
    first = await service.save_section(call, section, owner, before)
    second = await service.save_section(call, section, owner, after)
    assert sorted(map(section.values, second)) == sorted(map(section.values, after))
    kept = {row.id for row in first} & {row.id for row in second}
    common = sum(
        min([section.values(row) for row in first].count(value), [section.values(row) for row in second].count(value))
        for value in {section.values(row) for row in first}
    )
    assert len(kept) == common
