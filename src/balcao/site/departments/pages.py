"""Pages for the city hall's departments and their services."""

from collections.abc import Sequence
from typing import Any

from balcao.core.http.responses import Response
from balcao.site.declaration import Area, MapAddress, Pages
from balcao.site.faults import make_not_found
from balcao.site.reading.departments import read_departments
from balcao.site.visit import Head, Visit
from balcao.web.visit import Crumb

pages = Pages("departments", "/orgaos")
# A page with more services would be too large for a page after the first load (rules: site 11).
_PAGE_SIZE = 15


@pages.get("", "Órgãos da prefeitura", max_age=300, footer="site")
async def list_departments(visit: Visit) -> Response[Any]:
    """Show all departments as a tree, each with the number of its services."""
    departments = await read_departments(visit.reader)
    catalogue = await visit.read_block(visit.read_catalogue())
    head = Head(
        "Órgãos da prefeitura",
        "As secretarias e os outros órgãos da prefeitura, com os serviços de cada um.",
        visit.path,
    )
    counts = catalogue.value.departments if catalogue.value else {}
    return visit.show("departments/list.html", head, departments=departments, counts=counts)


@pages.get("/{codigo}", "Órgão")
async def show_department(visit: Visit, codigo: str) -> Response[Any]:
    """Show one department: its services, and the departments above and below it."""
    departments = await read_departments(visit.reader)
    department = departments.find(codigo)
    if department is None:
        raise make_not_found()
    catalogue = await visit.read_block(visit.read_catalogue())
    services = [one for one in catalogue.value.services if codigo in one.orgao_gestor] if catalogue.value else []
    above = departments.list_ancestors(department)
    head = Head(
        department.nome_ua,
        f"{department.nome_ua}: {len(services)} serviços, com o custo e o tempo de cada um.",
        visit.address(
            "departments.show_department", {"pagina": visit.number if visit.number > 1 else ""}, codigo=codigo
        ),
    )
    return visit.show(
        "departments/show.html",
        head,
        department=department,
        above=above,
        services=services[_PAGE_SIZE * (visit.number - 1) :][:_PAGE_SIZE],
        total=len(services),
        number=visit.number,
        last=max(1, -(-len(services) // _PAGE_SIZE)),
        catalogue=catalogue,
        counts=catalogue.value.departments if catalogue.value else {},
        steps=[Crumb("Órgãos", visit.address("departments.list_departments"))],
    )


async def _list_addresses(visit: Visit) -> Sequence[MapAddress]:
    """Return the addresses of the departments that have services, for the sitemap."""
    departments, snapshot = await read_departments(visit.reader), await visit.read_catalogue()
    return [
        MapAddress(visit.address("departments.show_department", codigo=one.cd_ua))
        for one in departments
        if snapshot.departments[one.cd_ua]
    ]


AREA = Area(pages, addresses=_list_addresses)
