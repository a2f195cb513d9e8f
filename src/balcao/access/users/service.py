"""People as the catalogue knows them: themselves, and whom administrators look for."""

from balcao.access.catalogue.events import CatalogueEvent
from balcao.access.catalogue.service import record_read
from balcao.access.users import store
from balcao.access.users.schemas import User, Users, UsersQuery
from balcao.core.context.call import Call
from balcao.core.database.pool import Connection
from balcao.core.errors import Forbidden, NotFound
from balcao.core.values.cpf import Cpf


async def read_own(call: Call) -> User:
    """Return the caller with all roles, those of the token too; enter a person or a name that is new.

    Raises Forbidden for a token that names no person.
    """
    caller = call.identified_caller
    if caller.cpf is None:
        raise Forbidden("O token não identifica uma pessoa (CPF).", code="user-without-cpf")
    async with call.platform.database.connection() as connection:
        user = await store.read_own(connection, caller.cpf, caller.roles)
        if user is None or (caller.name is not None and user.display_name != caller.name):
            await store.save(connection, caller.cpf, caller.name)
            user = await store.read(connection, caller.cpf, caller.roles)
    if user is None:  # removed again by retention in between
        raise NotFound("O catálogo de acessos não conhece essa pessoa.")
    return user


async def list_users(call: Call, query: UsersQuery) -> Users:
    """Return a page of people; whole CPFs are shown, so that the read is recorded."""
    async with call.platform.database.connection() as connection:
        rows, total = await store.fetch_users(
            connection, has_groups=query.has_groups, limit=query.limit, skip=query.skip
        )
    await record_read(call, CatalogueEvent("user.list", "user"))
    items = [User(**row) for row in rows]
    return Users(items, total, query.skip, query.limit, has_more=query.skip + len(items) < total)


async def read_user(call: Call, cpf: Cpf) -> User:
    """Return a person with the stored roles. Raises NotFound."""
    async with call.platform.database.connection() as connection:
        user = await store.read(connection, cpf)
    if not call.is_owner:
        await record_read(call, CatalogueEvent("user.read", "user", subject=cpf))
    if user is None:
        raise NotFound("O catálogo de acessos não conhece essa pessoa.")
    return user


async def enter(connection: Connection, cpf: Cpf) -> int:
    """Enter a person who is given a group, in the caller's transaction; return the id."""
    return await store.save(connection, cpf)
