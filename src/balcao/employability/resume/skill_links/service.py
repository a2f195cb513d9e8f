"""Skills in a resume: links to a skill in one of its areas, at most one for each (rules: employability 2.11)."""

from collections.abc import Sequence

from balcao.core.context.call import Call
from balcao.core.database.pool import Connection
from balcao.core.errors import Conflict, Invalid, NotFound
from balcao.core.values.cpf import Cpf
from balcao.core.values.page import Page
from balcao.employability.lists import ListMeta
from balcao.employability.resume.profiles import service as profiles
from balcao.employability.resume.skill_links import store
from balcao.employability.resume.skill_links.schemas import SkillLink, SkillLinkBody, SkillLinks
from balcao.employability.schemas import Message

FIELDS = ["area_atuacao_habilidade"]
MAX_LINKS = 50


async def read_links(call: Call, cpf: Cpf) -> SkillLinks:
    """Return a person's links, newest first."""
    async with call.reading(cpf, FIELDS) as connection:
        links = await store.list_skill_links(connection, cpf)
    return SkillLinks(links, ListMeta.of(Page(1, MAX_LINKS), len(links)))


async def add_link(call: Call, cpf: Cpf, body: SkillLinkBody) -> tuple[SkillLink, bool]:
    """Add a link unless the skill is there; return it, and whether it is new.

    Raises Invalid for a skill that is not in the catalogue, or not in that area, Conflict beyond the limit.
    """
    async with call.platform.database.transaction() as connection:
        await profiles.open_resume(connection, cpf)
        present = await store.list_skill_links(connection, cpf)
        if found := _find_links(body, present):
            return found[0], False
        pair = await store.find_skill_in_area(connection, body.id_habilidade, body.id_area_atuacao)
        if pair is None:
            text = "O campo `id_habilidade` não existe no catálogo, ou a habilidade não está nesta área."
            raise Invalid(text, code="skill-unknown")
        if len(present) >= MAX_LINKS:
            raise Conflict(f"O currículo já tem {MAX_LINKS} habilidades.", code="skill-limit")
        await store.insert_skill_links(connection, cpf, [pair])
        await call.platform.audit.record(connection, call, "create", subject=cpf, fields=FIELDS)
        return _find_links(body, await store.list_skill_links(connection, cpf))[0], True


def _find_links(body: SkillLinkBody, links: list[SkillLink]) -> list[SkillLink]:
    return [
        link
        for link in links
        if link.id_habilidade == body.id_habilidade and body.id_area_atuacao in (None, link.id_area_atuacao)
    ]


async def remove_link(call: Call, cpf: Cpf, link: int) -> Message:
    """Remove a link; the catalogue's entry stays. Raises NotFound, also for another citizen's link."""
    async with call.platform.database.transaction() as connection:
        if not await store.delete_skill_link(connection, cpf, link):
            raise NotFound("Não há habilidade com este `id` no seu currículo.", code="link-unknown")
        await call.platform.audit.record(connection, call, "delete", subject=cpf, fields=FIELDS)
    return Message("Habilidade retirada do currículo.")


async def list_links(connection: Connection, cpf: Cpf) -> list[SkillLink]:
    """Return a person's links, newest first."""
    return await store.list_skill_links(connection, cpf)


async def save_links(connection: Connection, cpf: Cpf, pairs: Sequence[int]) -> None:
    """Replace a person's links under the lock of the resume; those that stay keep their id.

    Raises Invalid for a pair that is unknown or repeated, and for too many.
    """
    if len(set(pairs)) < len(pairs) or len(pairs) > MAX_LINKS:
        text = f"O campo `area_atuacao_habilidade_ids` deve ter no máximo {MAX_LINKS} itens, sem repetição."
        raise Invalid(text, code="skill-list")
    if await store.count_skills_in_areas(connection, pairs) < len(pairs):
        text = "O campo `area_atuacao_habilidade_ids` tem um item que não existe no catálogo."
        raise Invalid(text, code="skill-unknown")
    await store.delete_other_skill_links(connection, cpf, pairs)
    await store.insert_skill_links(connection, cpf, pairs)
