"""The sandbox's citizens: invented people who live in the invented city Porto Aurora.

They are the same on every machine.
"""

from collections.abc import Mapping
from typing import Any

from balcao.core.context.platform import Platform
from balcao.core.imports import service as imports
from balcao.core.values.cpf import Cpf
from balcao.registry.person.citizens.imports import IMPORTS as CITIZEN_IMPORTS
from balcao.registry.person.tickets.imports import IMPORTS as TICKET_IMPORTS
from balcao_sandbox.demo.registry import invented

CITIZENS = 200
ANA = Cpf("90000000175")
NOTHING_STORED = frozenset({"90000001147"})


async def load_demo_citizens(platform: Platform) -> None:
    """Import base records with wallets, and tickets. Existing rows are written only if they differ."""
    stored = (row for row in invented.make_citizens(CITIZENS) if row.cpf not in NOTHING_STORED)
    await imports.import_rows(platform, CITIZEN_IMPORTS[0], stored)
    await imports.import_rows(platform, TICKET_IMPORTS[0], invented.make_tickets(CITIZENS))


async def find_citizen_examples(_: Platform) -> Mapping[str, Any]:
    return {"citizen_cpf": ANA.digits}
