"""The sandbox's departments, activities, companies and pets, which are loaded twice (rules: registry 7)."""

from collections import Counter

from balcao.core.context.call import operator_call
from balcao.core.context.platform import Platform
from balcao.core.values.cpf import Cpf
from balcao.core.values.page import Page
from balcao.registry.city.activities import service as activity_service
from balcao.registry.city.companies import service as company_service
from balcao.registry.city.departments import service as department_service
from balcao.registry.city.staff_departments import service as staff_service
from balcao.registry.person.pets import service as pet_service
from balcao_sandbox.demo.registry.activities import load_demo_activities
from balcao_sandbox.demo.registry.companies import load_demo_registered_companies
from balcao_sandbox.demo.registry.departments import load_demo_departments
from balcao_sandbox.demo.registry.pets import load_demo_pets
from balcao_sandbox.demo.registry.staff_departments import load_demo_staff_departments

IARA, FABIO, LUIZ = (Cpf(digits) for digits in ("90000000922", "90000000680", "90000001228"))
ALL = Page(per_page=100)
LOADERS = (
    load_demo_departments,
    load_demo_staff_departments,
    load_demo_activities,
    load_demo_registered_companies,
    load_demo_pets,
)


async def test_the_sandbox_has_what_the_document_says_however_often_it_is_loaded(platform: Platform) -> None:
    call = operator_call(platform, "test")
    for _ in range(2):
        for load in LOADERS:
            await load(platform)

    chart = (await department_service.list_departments(call, {}, ALL)).departments
    codes = {department.cd_ua for department in chart}
    assert set(Counter(department.nivel for department in chart)) == {1, 2, 3, 10}
    assert (len(codes), all(len(code) == 4 for code in codes)) == (37, True)
    assert {department.cd_ua_pai for department in chart} <= codes | {None}
    assert (await activity_service.list_activities(call, {}, ALL)).pagination.total == 60

    assert (await staff_service.read_staff_departments(call, LUIZ)).cd_uas == ["1100", "1110"]
    theirs = await company_service.list_registered_companies(call, IARA, {}, ALL)
    assert [company.cnpj for company in theirs.data] == ["90000001000129"]
    for cnpj in ("90000002000173", "12ABC34501DE35"):
        assert (await company_service.read_registered_company(call, cnpj)).cnpj == cnpj
    kept = await pet_service.list_pets(call, FABIO, ALL)
    assert [pet.source for pet in kept.data] == ["curated", "self_registered", "self_registered"]
