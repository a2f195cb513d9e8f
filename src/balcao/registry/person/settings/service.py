"""A citizen's settings: the first-login flag, and the short form of the notification preferences."""

from msgspec import UNSET

from balcao.core.context.audit import guard_audit_write
from balcao.core.context.call import Call
from balcao.core.values.cpf import Cpf
from balcao.registry.consent.preferences import service as notifications
from balcao.registry.consent.preferences.changes import RequestedChange
from balcao.registry.consent.preferences.schemas import Preferences
from balcao.registry.person.settings import store
from balcao.registry.person.settings.schemas import FirstLogin, OptIn, OptInBody

OPT_IN_CHANNEL = "web"


async def read_first_login(call: Call, cpf: Cpf) -> FirstLogin:
    async with call.reading(cpf, ["firstlogin"]) as source:
        return FirstLogin(await store.read_first_login_flag(source, cpf) is not False)


async def end_first_login(call: Call, cpf: Cpf) -> FirstLogin:
    """Record that the first login is complete. Calling it again changes nothing."""
    trail = call.platform.audit.encode_event(call, "update", subject=cpf, fields=["firstlogin"])
    with guard_audit_write():
        async with call.platform.database.connection() as connection:
            await store.end_first_login(connection, cpf, trail)
    return FirstLogin(False)


async def read_opt_in(call: Call, cpf: Cpf) -> OptIn:
    return _opt_in(await notifications.read_preferences(call, cpf))


async def change_opt_in(call: Call, cpf: Cpf, body: OptInBody) -> OptIn:
    """Change the preferences.

    Raises PreconditionFailed if `If-Match` does not match, and Unprocessable for an unknown or inactive category.
    """
    choices = {} if body.category_opt_ins is UNSET else body.category_opt_ins
    requested = RequestedChange(OPT_IN_CHANNEL, body.opt_in, choices)
    return _opt_in(await notifications.apply_change(call, cpf, requested, _opt_in))


def _opt_in(preferences: Preferences) -> OptIn:
    return OptIn(preferences.opt_in, preferences.category_opt_ins)
