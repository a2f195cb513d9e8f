"""Pages on which people see and change their own data. They require no right."""

from typing import Any

from balcao.core.http.responses import Response, attachment
from balcao.core.values.cpf import Cpf
from balcao.panel.declaration import Area, Pages
from balcao.panel.visit import Visit
from balcao.web.api import Api, Block, NotAllowed, gather_blocks
from balcao.web.faults import PageFault
from balcao.web.lists import Listing
from balcao.web.person import changes, labels
from balcao.web.person import client as people
from balcao.web.person.changes import PersonPage
from balcao.web.person.client import Subject
from balcao.web.person.erasure import show_erasure
from balcao.web.person.visits import SIZE, group_by_visit
from balcao.web.visit import Crumb

FILE_NAME = "meus-dados.json"

pages = Pages("citizen", "/meus-dados")


async def _read_own_cpf(api: Api) -> Cpf:
    """Return the CPF of the logged-in person. Raises PageFault if the login has no CPF."""
    try:
        return Cpf(await people.read_own_cpf(api))
    except NotAllowed:
        text = "O seu login não traz CPF: esta página mostra os dados de quem entra com ele."
        raise PageFault(403, "Sem CPF no login", text) from None


@pages.get("", "O que a cidade sabe de mim", in_menu=True)
async def show(visit: Visit) -> Response[Any]:
    """Show the citizen's data with source and time, and the citizen's choices.

    If one part fails, the page still shows the other parts.
    """
    subject = await _read_subject(visit)
    blocks: list[Block[Any]] = await gather_blocks(
        people.read_provenance(subject, sensitive=True),
        people.read_preferences(subject),
        people.list_choices(subject),
        people.list_tickets(subject),
        people.list_categories(visit.api),
    )
    record, preferences, choices, tickets, categories = blocks
    named = {one.id: one.name for one in categories.value.categories} if categories.value else {}
    born = record.value.find("nascimento").value if record.value else None
    return visit.render(
        "citizen/record.html",
        record=record,
        preferences=preferences,
        choices=choices,
        tickets=tickets,
        named=named,
        age=labels.count_years(born, visit.panel.words.now().date()),
        labels=labels,
    )


@pages.get("/quem-viu", "Quem viu os meus dados", in_menu=True)
async def list_accesses(visit: Visit) -> Response[Any]:
    """List which departments and systems saw or changed the citizen's data, and why.

    The names of staff are not shown.
    """
    listing = Listing(visit, ("acesso", "acessos"), size=SIZE)
    subject = await _read_subject(visit)
    found = await people.list_accesses(subject, page=listing.number, size=listing.size)
    listing.rows, listing.total = found.data, found.pagination.total
    crumbs = [_crumb(visit)]
    return visit.render("citizen/accesses.html", listing=listing, labels=labels, group=group_by_visit, crumbs=crumbs)


@pages.form("/mensagens", "Minhas mensagens", in_menu=True)
async def change_preferences(visit: Visit) -> Response[Any]:
    """Choose the subjects about which the citizen receives messages."""
    return await changes.change_preferences(visit, await _make_person_page(visit))


@pages.form("/telefone", "Mudar o meu telefone")
async def change_phone(visit: Visit) -> Response[Any]:
    """Send a code to the citizen's new number."""
    return await changes.change_phone(visit, await _make_person_page(visit), visit.address("citizen.confirm_phone"))


@pages.post("/telefone/codigo", "Confirmar o meu telefone")
async def confirm_phone(visit: Visit) -> Response[Any]:
    """Confirm the new number with the code."""
    return await changes.confirm_phone(visit, await _make_person_page(visit))


@pages.form("/email", "Mudar o meu e-mail")
async def change_email(visit: Visit) -> Response[Any]:
    """Change the citizen's e-mail address."""
    return await changes.change_email(visit, await _make_person_page(visit))


@pages.form("/endereco", "Mudar o meu endereço")
async def change_address(visit: Visit) -> Response[Any]:
    """Change the citizen's address."""
    return await changes.change_address(visit, await _make_person_page(visit))


@pages.form("/copia", "Levar uma cópia")
async def take_copy(visit: Visit) -> Response[Any]:
    """Explain what the file with the citizen's data contains, and return the file after the button is pressed."""
    if visit.is_post:
        file = await people.download_export(await _read_subject(visit))
        return attachment(file.content, FILE_NAME)
    return visit.render("citizen/copy.html", crumbs=[_crumb(visit)])


@pages.form("/apagar", "Apagar os meus dados")
async def erase(visit: Visit) -> Response[Any]:
    """Show what an erasure would delete, and erase the data that the city is not required to keep."""
    return await show_erasure(visit, await _make_person_page(visit))


async def _read_subject(visit: Visit) -> Subject:
    return Subject(visit.api, await _read_own_cpf(visit.api))


async def _make_person_page(visit: Visit) -> PersonPage:
    return PersonPage(await _read_subject(visit), visit.address("citizen.show"), [_crumb(visit)], is_own=True)


def _crumb(visit: Visit) -> Crumb:
    return Crumb("O que a cidade sabe de mim", visit.address("citizen.show"))


AREA = Area("Meus dados", 100, pages)
