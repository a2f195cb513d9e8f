"""Elisa Prado: wants no messages, none about health least of all, and has changed her mind before."""

from balcao.core.context.call import operator_call
from balcao.core.context.platform import Platform
from balcao.core.values.cpf import Cpf
from balcao.registry.consent.ledger import service as ledger
from balcao.registry.consent.preferences import service
from balcao.registry.consent.preferences.changes import Wish

ELISA = Cpf("90000000507")

STEPS = (
    Wish("web", choices={"courses": True}),
    Wish("mobile", choices={"courses": False}, reason="Já me matriculei em um curso."),
    Wish("whatsapp", choices={"events": False}),
    Wish("whatsapp", choices={"events": True}),
    Wish("web", choices={"health": False}, reason="too_many_messages"),
    Wish("web", opt_in=False, reason="irrelevant_content"),
)


async def load(platform: Platform) -> None:
    """Once: whoever has a history is left alone."""
    async with platform.database.connection() as connection:
        if await ledger.whole_history(connection, ELISA):
            return
    call = operator_call(platform, "registry.demo")
    for wish in STEPS:
        await service.fulfil(call, ELISA, wish)
