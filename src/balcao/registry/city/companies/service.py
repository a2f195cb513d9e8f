"""Read imported companies.

Partners and responsible people may read their own companies. Any other caller needs an action or a scope, except the
platform's own client.
"""

from collections.abc import Mapping

from balcao.core.access.limits import DENIED
from balcao.core.access.rules import Reason
from balcao.core.context.call import Call
from balcao.core.database.pool import Connection
from balcao.core.errors import NotFound
from balcao.core.values.cpf import Cpf
from balcao.core.values.page import Page
from balcao.registry.city.companies import store
from balcao.registry.city.companies.schemas import Companies, Company
from balcao.registry.city.companies.views import add_times, mask_company
from balcao.registry.filters import parse_code

READ = "companies:read"
FIELDS = ["empresas"]


async def list_registered_companies(call: Call, cpf: Cpf, query: Mapping[str, str], page: Page) -> Companies:
    """Return a page of the companies in which the person is a partner or the responsible person, sorted by CNPJ.

    Raises Invalid for an invalid filter.
    """
    nature = parse_code(query, "natureza_juridica_id")
    async with call.reading(cpf, FIELDS) as source:
        found, total = await store.list_companies_of(source, cpf, nature, page)
    return Companies([_show(company, call) for company in found], page.of(total))


async def read_registered_company(call: Call, cnpj: str) -> Company:
    """Return a company.

    Raises Forbidden if the caller is neither a member of the company nor has a right to see it. An unknown company
    raises the same error, so that the response does not reveal which companies exist. For callers with a right, an
    unknown company raises NotFound. Raises Invalid if a member of staff must give a reason but has not.
    """
    async with call.platform.database.transaction() as connection:
        company = await store.select_registered_company(connection, cnpj)
        related = company is not None and call.actor_cpf in company.members
        allowed = related or call.decision.reason in {Reason.SCOPE, Reason.CLIENT} or call.holds(READ)
        if company is not None and allowed and not related:
            call.require_reason()
            await _record_read(connection, call, company)
    if not allowed:
        await _record_denial(call)
        raise call.lacks(READ)
    if company is None:
        raise NotFound("Não há empresa com este CNPJ.", code="company-unknown")
    return _show(company, call)


async def _record_read(connection: Connection, call: Call, company: Company) -> None:
    """Record one audit event for each of the company's members, in the order of their CPFs."""
    for cpf in sorted(company.members, key=lambda member: member.digits):
        by_right = call if call.decision.reason is not Reason.AUTHENTICATED else call.with_right_to(cpf, READ)
        await call.platform.audit.record(connection, by_right or call, "read", subject=cpf, fields=FIELDS)


async def _record_denial(call: Call) -> None:
    """Record the denial in the audit trail, unless the caller has exceeded the rate limit for denials."""
    if await call.platform.is_within(*DENIED, call.identified_caller.key):
        async with call.platform.database.connection() as connection:
            await call.platform.audit.record(connection, call, "denied", outcome="denied")


def _show(company: Company, call: Call) -> Company:
    """Return the company as the caller may see it. The platform's own client sees it unmasked (rules: registry 1.1)."""
    shown = add_times(company, call.zone)
    return shown if call.decision.reason is Reason.CLIENT else mask_company(shown, call.actor_cpf)
