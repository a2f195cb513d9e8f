"""The sandbox's phone book: Ana's verified number, which can receive messages, and a number in quarantine."""

from balcao.core.context.call import operator_call
from balcao.core.context.platform import Platform
from balcao.registry.person.phone_book import service
from balcao.registry.person.phone_book.schemas import PhoneOptInBody
from balcao_sandbox.demo.registry.phones import ANA, PHONE

QUARANTINED = "5521900019999"


async def load_demo_phone_book(platform: Platform) -> None:
    """Add the two numbers only once. Later changes by users remain."""
    call = operator_call(platform, "registry.demo")
    if not (await service.read_phone_status(call, PHONE.digits)).found:
        await service.bind_confirmed_phone(call, PHONE.digits, ANA)
        await service.opt_in_phone(call, PHONE.digits, PhoneOptInBody(ANA.digits, "web"))
    if not (await service.read_phone_status(call, QUARANTINED)).found:
        await service.quarantine_phone(call, QUARANTINED)
