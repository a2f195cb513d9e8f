"""The jobs that a member of staff can reach: all jobs or those of their departments (rules: employability 2.0, 4.6)."""

import time
from dataclasses import dataclass

from balcao.core.access.reach import ANY_DEPARTMENT, list_group_departments
from balcao.core.context.call import Call
from balcao.core.errors import Unavailable
from balcao.core.outgoing import ServiceClient
from balcao.core.values.cpf import Cpf

BUDGET_SECONDS = 2.0
# How long calls use the cached departments without calling the registry. A portal page sends several calls at the same
# time, and the registry writes an audit event for each read.
FRESH_SECONDS = 5.0
USABLE_SECONDS = 15 * 60.0
MOST_REMEMBERED = 1_000


@dataclass(frozen=True)
class Scope:
    """The jobs that a member of staff can reach.

    `departments` is None for all departments. `author` is the caller's subject, because callers also reach their own
    drafts that have no department.
    """

    departments: frozenset[str] | None
    author: str

    def covers(self, department: str | None) -> bool:
        """Return whether the caller may assign this department to a job.

        None means no department, and is always allowed.
        """
        return self.departments is None or department is None or department in self.departments

    def reaches(self, department: str | None) -> bool:
        """Return whether the caller can reach applications for jobs of this department."""
        return self.departments is None or department in self.departments


NO_DEPARTMENT = Scope(frozenset(), "")


class StaffLinks:
    """A client for the registry's links between staff and departments, with a cache in this process."""

    def __init__(self, registry: ServiceClient) -> None:
        self._registry = registry
        self._seen: dict[Cpf, tuple[float, frozenset[str]]] = {}

    async def find(self, cpf: Cpf, request_id: str) -> frozenset[str]:
        """Return the codes of the person's departments.

        Raises Unavailable if the registry is down and the cache is too old.
        """
        at, codes = self._seen.get(cpf, (float("-inf"), frozenset()))
        if time.monotonic() - at < FRESH_SECONDS:
            return codes
        try:
            record = await self._registry.get(
                f"/cpf-secretaria/{cpf.digits}", seconds=BUDGET_SECONDS, request_id=request_id
            )
        except Unavailable:
            if time.monotonic() - at < USABLE_SECONDS:
                return codes
            raise
        codes = frozenset(map(str, record.get("cd_uas", ()) if record else ()))
        self._remember(cpf, codes)
        return codes

    def _remember(self, cpf: Cpf, codes: frozenset[str]) -> None:
        self._seen.pop(cpf, None)
        if len(self._seen) >= MOST_REMEMBERED:
            del self._seen[next(iter(self._seen))]  # removes the oldest entry
        self._seen[cpf] = (time.monotonic(), codes)


async def find_scope(call: Call) -> Scope:
    """Return the caller's scope.

    If the registry is down and its cached response is too old, the scope contains only the departments named by the
    caller's groups. Raises Unavailable if they name none.
    """
    author = call.author.subject
    if call.holds(ANY_DEPARTMENT):
        return Scope(None, author)
    if call.actor_cpf is None:
        return Scope(frozenset(), author)
    groups = call.platform.catalogue.snapshot.groups_of(call.actor_cpf)
    named = list_group_departments(group.name for group in groups)
    try:
        links = await call.platform.part(StaffLinks).find(call.actor_cpf, call.request_id)
    except Unavailable:
        if not named:
            raise
        links = frozenset()
    return Scope(named | links, author)
