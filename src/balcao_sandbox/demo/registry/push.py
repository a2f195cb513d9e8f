"""Heitor's dead-lettered push: the registry accepts his e-mail address, but the CRM rejects it as too long."""

from balcao.core.context.call import operator_call
from balcao.core.context.platform import Platform
from balcao.core.logs import log
from balcao.core.values.cpf import Cpf
from balcao.registry.mirror.store import read_mirror
from balcao.registry.person.declared import service as declared
from balcao.registry.person.declared.schemas import ValueBody

HEITOR = Cpf("90000000841")
EMAIL = "heitor.lacerda@correio-municipal-de-porto-aurora.secretaria-municipal-de-assistencia-social.example"


async def load_demo_pushed_fields(platform: Platform) -> None:
    """Declare the e-mail address once. The worker pushes it, the CRM rejects it, and the job is dead-lettered."""
    async with platform.database.connection() as connection:
        known = (await read_mirror(connection, HEITOR)).known
    if not known:
        log.info("demo.failure_intended", kind="crm_push", code="STRING_TOO_LONG")
        await declared.declare_email(operator_call(platform, "registry.demo"), HEITOR, ValueBody(EMAIL))
