"""Reading a citizen's notification preferences; reads never write."""

from balcao.core.call import Call
from balcao.core.cpf import Cpf
from balcao.registry.notifications import store
from balcao.registry.notifications.schemas import Preferences


async def read_preferences(call: Call, cpf: Cpf) -> Preferences:
    """A read of somebody else's preferences leaves an audit event first."""
    async with call.reading(cpf, ["opt_in", "category_opt_ins"]) as connection:
        return await store.read(connection, cpf)
