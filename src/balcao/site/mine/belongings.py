"""Pages for a citizen's wallet, pets and companies."""

from typing import Any

from balcao.core.http.responses import Response
from balcao.site.health.today import UnitToday, describe_today
from balcao.site.mine import client
from balcao.site.mine.declaration import Pages
from balcao.site.mine.visit import Visit
from balcao.web.api import gather_blocks
from balcao.web.lists import Listing
from balcao.web.person.labels import format_day

pages = Pages("belongings", "")


@pages.get("/carteira", "Minha carteira")
async def show_wallet(visit: Visit) -> Response[Any]:
    """Show the citizen's health team, school and social assistance."""
    wallet = await client.read_wallet(await visit.read_subject())
    today = await describe_clinic(visit, wallet)
    return visit.render("mine/wallet.html", wallet=wallet, today=today, format_day=format_day)


async def describe_clinic(visit: Visit, wallet: client.Wallet | None) -> UnitToday | None:
    """Describe whether the person's clinic is open now. Return None if it is unknown."""
    clinic = wallet.saude.clinica_familia if wallet and wallet.saude else None
    if clinic is None or not clinic.id_cnes:
        return None
    site = visit.mine.site
    reader = site.make_reader(visit.request.peer, visit.request.id)
    (found,) = await gather_blocks(describe_today(reader, site.words, clinic.id_cnes))
    return found.value


@pages.get("/animais", "Meus animais")
async def list_pets(visit: Visit) -> Response[Any]:
    """List the citizen's pets."""
    listing = Listing(visit, ("animal", "animais"))
    found = await client.list_pets(await visit.read_subject(), page=listing.number, size=listing.size)
    listing.rows, listing.total = found.data, found.pagination.total
    today = visit.mine.site.words.now().date()
    return visit.render("mine/pets.html", listing=listing, today=today, format_day=format_day)


@pages.get("/empresas", "Minhas empresas")
async def list_companies(visit: Visit) -> Response[Any]:
    """List the companies in which the citizen is a partner or the responsible person."""
    listing = Listing(visit, ("empresa", "empresas"))
    found = await client.list_companies(await visit.read_subject(), page=listing.number, size=listing.size)
    listing.rows, listing.total = found.data, found.pagination.total
    return visit.render("mine/companies.html", listing=listing)
