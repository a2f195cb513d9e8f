"""Behaviours and attitudes in a resume: links to the catalogue's entries, at most one for each entry."""

from collections.abc import Sequence

from balcao.core.context.call import Call
from balcao.core.database.pool import Connection
from balcao.core.errors import Conflict, Invalid, NotFound
from balcao.core.values.cpf import Cpf
from balcao.core.values.page import Page
from balcao.employability.lists import ListMeta
from balcao.employability.resume.behaviours import store
from balcao.employability.resume.behaviours.schemas import BehaviourLink, BehaviourLinks
from balcao.employability.resume.profiles import service as profiles
from balcao.employability.schemas import Message

FIELDS = ["comportamento_atitudes"]
MAX_LINKS = 50


async def read_links(call: Call, cpf: Cpf) -> BehaviourLinks:
    """Return a person's links, newest first."""
    async with call.reading(cpf, FIELDS) as connection:
        links = await store.list_behaviour_links(connection, cpf)
    return BehaviourLinks(links, ListMeta.of(Page(1, MAX_LINKS), len(links)))


async def add_link(call: Call, cpf: Cpf, behaviour: int) -> tuple[BehaviourLink, bool]:
    """Add a link unless it is there; return it, and whether it is new.

    Raises Invalid for an unknown entry, Conflict beyond the limit.
    """
    async with call.platform.database.transaction() as connection:
        await profiles.open_resume(connection, cpf)
        present = await store.list_behaviour_links(connection, cpf)
        if found := _find_links(behaviour, present):
            return found[0], False
        if not await store.count_behaviours(connection, [behaviour]):
            raise Invalid("O campo `id_comportamento_atitudes` não existe no catálogo.", code="behaviour-unknown")
        if len(present) >= MAX_LINKS:
            raise Conflict(f"O currículo já tem {MAX_LINKS} comportamentos e atitudes.", code="behaviour-limit")
        await store.insert_behaviour_links(connection, cpf, [behaviour])
        await call.platform.audit.record(connection, call, "create", subject=cpf, fields=FIELDS)
        return _find_links(behaviour, await store.list_behaviour_links(connection, cpf))[0], True


def _find_links(behaviour: int, links: list[BehaviourLink]) -> list[BehaviourLink]:
    return [link for link in links if link.id_comportamento_atitudes == behaviour]


async def save_links(connection: Connection, cpf: Cpf, behaviours: Sequence[int]) -> None:
    """Replace a person's links under the lock of the resume; those that stay keep their id.

    Raises Invalid for an entry that is unknown or repeated, and for too many.
    """
    if len(set(behaviours)) < len(behaviours) or len(behaviours) > MAX_LINKS:
        text = f"O campo `comportamento_atitudes_ids` deve ter no máximo {MAX_LINKS} itens, sem repetição."
        raise Invalid(text, code="behaviour-list")
    if await store.count_behaviours(connection, behaviours) < len(behaviours):
        text = "O campo `comportamento_atitudes_ids` tem um item que não existe no catálogo."
        raise Invalid(text, code="behaviour-unknown")
    await store.delete_other_behaviour_links(connection, cpf, behaviours)
    await store.insert_behaviour_links(connection, cpf, behaviours)


async def list_links(connection: Connection, cpf: Cpf) -> list[BehaviourLink]:
    """Return a person's links, newest first."""
    return await store.list_behaviour_links(connection, cpf)


async def remove_link(call: Call, cpf: Cpf, link: int) -> Message:
    """Remove a link; the catalogue's entry stays. Raises NotFound, also for another citizen's link."""
    async with call.platform.database.transaction() as connection:
        if not await store.delete_behaviour_link(connection, cpf, link):
            raise NotFound("Não há comportamento ou atitude com este `id` no seu currículo.", code="link-unknown")
        await call.platform.audit.record(connection, call, "delete", subject=cpf, fields=FIELDS)
    return Message("Comportamento ou atitude retirado do currículo.")
