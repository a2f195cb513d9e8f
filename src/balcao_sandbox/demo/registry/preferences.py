"""Elisa Prado's notification preferences: several changes, and finally an opt-out from all messages."""

from balcao.core.context.call import operator_call
from balcao.core.context.platform import Platform
from balcao.core.values.cpf import Cpf
from balcao.registry.consent.ledger.store import list_ledger_entries
from balcao.registry.consent.preferences import service
from balcao.registry.consent.preferences.changes import RequestedChange

ELISA = Cpf("90000000507")

STEPS = (
    RequestedChange("web", choices={"courses": True}),
    RequestedChange("mobile", choices={"courses": False}, reason="Já me matriculei em um curso."),
    RequestedChange("whatsapp", choices={"events": False}),
    RequestedChange("whatsapp", choices={"events": True}),
    RequestedChange("web", choices={"health": False}, reason="too_many_messages"),
    RequestedChange("web", opt_in=False, reason="irrelevant_content"),
)


async def load_demo_preferences(platform: Platform) -> None:
    """Load the history unless Elisa already has one."""
    async with platform.database.connection() as connection:
        if await list_ledger_entries(connection, ELISA):
            return
    call = operator_call(platform, "registry.demo")
    for requested in STEPS:
        await service.apply_change(call, ELISA, requested)
