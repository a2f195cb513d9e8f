"""The pages of the access administration, in the order of the navigation."""

from collections.abc import Sequence

from balcao.panel.access import (
    actions,
    client,
    document,
    explanations,
    groups,
    history,
    labels,
    mappings,
    people,
    roles,
)
from balcao.panel.access.rights import USER_READ
from balcao.panel.declaration import Area, Finder, Item, Pages
from balcao.panel.visit import Visit

_PARTS = (people, groups, roles, actions, mappings, explanations, document, history)
pages = Pages("access", "/acessos", [part.pages for part in _PARTS])

_SHORTEST_SEARCH, _MOST_FOUND = 3, 10


async def find_people(visit: Visit, asked: str) -> Sequence[Item]:
    """Return the people whose name or CPF matches the search text."""
    if max(map(len, asked.split()), default=0) < _SHORTEST_SEARCH:
        return []
    found = await client.list_users(visit.api, search=asked, in_groups=False, limit=_MOST_FOUND, skip=0)
    return [
        Item(
            title=labels.name_person(user.display_name, user.cpf),
            href=visit.address("access.show_person", person=user.id),
            text=labels.mask_cpf(user.cpf),
            detail="Acessos",
        )
        for user in found.items
    ]


AREA = Area("Acessos", 70, pages, finders=[Finder([USER_READ], find_people)])
