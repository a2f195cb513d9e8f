"""Pages for the resume bank, which lists people who want employers to find them."""

from typing import Any

from balcao.core.http.responses import Response
from balcao.panel.declaration import Pages
from balcao.panel.jobs import companies_client as client
from balcao.panel.jobs.labels import format_months
from balcao.panel.visit import Visit
from balcao.web.lists import Filter, Listing
from balcao.web.visit import Crumb

READ = "resume_bank:read"

pages = Pages("jobs", "/banco-de-curriculos")


@pages.get("", "Banco de currículos", actions=[READ], in_menu=True)
async def list_bank(visit: Visit) -> Response[Any]:
    """List the people with a resume who accepted the terms, newest acceptance first."""
    listing = Listing(visit, ("pessoa", "pessoas"), [Filter("busca", "Nome", is_wide=True)])
    found = await client.list_bank(visit.api, listing.values.get("busca"), listing.number, listing.size)
    listing.rows, listing.total = found.data, found.meta.total
    return visit.render("jobs/bank.html", listing=listing)


@pages.get("/{entry}", "Currículo", actions=[READ])
async def show_bank_entry(visit: Visit, entry: str) -> Response[Any]:
    """Show a person's resume and contact data."""
    return visit.render(
        "jobs/bank_entry.html",
        entry=await client.read_bank_entry(visit.api, entry),
        format_months=format_months,
        crumbs=[Crumb("Banco de currículos", visit.address("jobs.list_bank"))],
    )
