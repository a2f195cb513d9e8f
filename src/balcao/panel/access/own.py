"""Asks administrators to confirm again before they remove their own last administrative role."""

from collections.abc import Callable

from balcao.panel.access import client
from balcao.panel.access.client import Way
from balcao.panel.access.forms import LastAdministrationForm
from balcao.panel.access.reserved import ADMINISTRATIVE
from balcao.panel.visit import Visit
from balcao.web.api import gather_blocks
from balcao.web.forms import Form
from balcao.web.person.client import read_own_cpf


async def make_removal_form(visit: Visit, is_removed: Callable[[Way], bool], *, cpf: str = "") -> Form:
    """Return the form for a removal. It has a checkbox if the visitor would lose their last administrative role.

    A person may have a role in several ways, for example through two groups. `is_removed` returns whether the removal
    ends a given way. `cpf` identifies the person concerned. It is empty if the removal affects every holder.
    """
    if not visit.rights.is_administrator:
        return Form(visit)
    own = await read_own_cpf(visit.api)
    if cpf not in ("", own):
        return Form(visit)
    (rights,) = await gather_blocks(client.list_person_actions(visit.api, own))
    held = [way for one in (rights.value.actions if rights.value else []) for way in one.via]
    ways = {(way.role, way.source, way.group): way for way in held if way.role in ADMINISTRATIVE}.values()
    removed = [way for way in ways if is_removed(way)]
    if not removed or len(removed) < len(ways):
        return Form(visit)
    form = LastAdministrationForm(visit)
    form.names = sorted(
        {f"o papel {way.role}, pelo grupo {way.group}" if way.group else f"o papel {way.role}" for way in removed}
    )
    return form
