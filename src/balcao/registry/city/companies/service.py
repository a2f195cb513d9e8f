"""Companies, as loaded: their people see them, others by an action, a scope or as the platform's own client."""

from collections.abc import Mapping

from balcao.core.access.limits import DENIED
from balcao.core.access.rules import Reason
from balcao.core.context.call import Call
from balcao.core.database.pool import Connection
from balcao.core.errors import Forbidden, NotFound
from balcao.core.http.paging import Page
from balcao.core.values.cpf import Cpf
from balcao.registry.city.companies import store
from balcao.registry.city.companies.schemas import Companies, Company
from balcao.registry.city.companies.views import masked, timed
from balcao.registry.filters import code_of

READ = "companies:read"
FIELDS = ["empresas"]


async def list_companies(call: Call, cpf: Cpf, query: Mapping[str, str], page: Page) -> Companies:
    """Those of which the person is partner or responsible, by CNPJ. Raises Invalid."""
    nature = code_of(query, "natureza_juridica_id")
    async with call.reading(cpf, FIELDS) as connection:
        found, total = await store.of_person(connection, cpf, nature, page)
    return Companies([_shown(company, call) for company in found], page.of(total))


async def read_company(call: Call, cnpj: str) -> Company:
    """Raises Forbidden for a caller without relation, also when there is no such company; NotFound for the others."""
    async with call.platform.database.transaction() as connection:
        company = await store.read(connection, cnpj)
        related = company is not None and call.actor_cpf in company.members
        allowed = related or _may_read_any(call)
        if company is not None and allowed and not related:
            await _record_read(connection, call, company)
    if not allowed:
        await _leave_trace(call)
        raise Forbidden()
    if company is None:
        raise NotFound("Não há empresa com este CNPJ.", code="company-unknown")
    return _shown(company, call)


def _may_read_any(call: Call) -> bool:
    return call.decision.reason in {Reason.SCOPE, Reason.CLIENT} or call.holds(READ)


async def _record_read(connection: Connection, call: Call, company: Company) -> None:
    """Each of the company's people is told who looked."""
    for cpf in sorted(company.members, key=lambda member: member.digits):
        by_right = call if call.decision.reason is not Reason.AUTHENTICATED else call.with_right_to(cpf, READ)
        await call.platform.audit.record(connection, by_right or call, "read", subject=cpf, fields=FIELDS)


async def _leave_trace(call: Call) -> None:
    """As for every refused attempt; a flood of them is only counted."""
    if await call.platform.limits.within(*DENIED, call.identified_caller.key):
        async with call.platform.database.connection() as connection:
            await call.platform.audit.record(connection, call, "denied", outcome="denied")


def _shown(company: Company, call: Call) -> Company:
    """The platform's own client gets whole records (rules: registry 1.1)."""
    shown = timed(company, call.zone)
    return shown if call.decision.reason is Reason.CLIENT else masked(shown, call.actor_cpf)
