"""Declares the area with all its pages: the risk board, units, hours, holidays, counts, sources and webhooks."""

from collections.abc import Sequence
from typing import Any

from balcao.core.http.responses import Response
from balcao.panel.declaration import Area, Finder, Item, Pages, Waiting
from balcao.panel.health_units import board, board_stream, client, hours, units, webhooks
from balcao.panel.health_units.declared import AREA as KEY
from balcao.panel.health_units.declared import BASE, READ, UNITS, WEBHOOKS
from balcao.panel.health_units.drawing import PLOT_HEIGHT, PLOT_LEFT, PLOT_WIDTH, draw_counts, sum_counts
from balcao.panel.health_units.labels import COLORS, LATE_MINUTES
from balcao.panel.visit import Visit
from balcao.web.lists import Filter, Listing
from balcao.web.words import MONTHS, format_duration

_PERIODS = [("trimestre", "Por trimestre")]
_GROUPS = [("area", "Cada área"), ("unidade", "Cada unidade")]

pages = Pages(KEY, BASE)


@pages.get("/contagens", "Contagens", actions=[READ, UNITS], in_menu=True)
async def show_counts(visit: Visit) -> Response[Any]:
    """Show how many notifications were opened in each period, as bars and as a table."""
    areas = await client.list_areas(visit.api)
    named = [(each.properties.area, f"{each.properties.area} {each.properties.nome}") for each in areas]
    filters = [
        Filter("por", "Contar", _GROUPS, unset="A cidade"),
        Filter("periodo", "Juntar", _PERIODS, unset="Por mês"),
        Filter("area", "Área", named, unset="Todas"),
    ]
    listing = Listing(visit, ("linha", "linhas"), filters, size=1000)
    counts = await client.count_notifications(visit.api, listing.values)
    listing.rows, listing.total = counts.itens, len(counts.itens)
    found = sum_counts(counts, quarterly=listing.values.get("periodo") == "trimestre")
    sums = {name_period(period): colors for period, colors in found.items()}
    return visit.render(
        "health_units/counts.html",
        listing=listing,
        counts=counts,
        plot=draw_counts(sums),
        sums=sums,
        size=(PLOT_WIDTH, PLOT_HEIGHT),
        left=PLOT_LEFT,
        colors=COLORS,
        area_names=dict(named),
        name_period=name_period,
    )


def name_period(period: str) -> str:
    """Format a month or a quarter: "out 2026", "4º tri 2026"."""
    year, part = period.split("-")
    return f"{part[1]}º tri {year}" if part.startswith("T") else f"{MONTHS[int(part) - 1][:3]} {year}"


async def find_late_notifications(visit: Visit) -> Sequence[Item]:
    """Return one item for each notification that has become late, and one item for all other open notifications."""
    opened = (await client.list_open(visit.api)).itens
    late = [each for each in opened if each.minutos_sem_confirmacao >= LATE_MINUTES]
    address = visit.address("health_units.show_board")
    items = [
        Item(
            title=f"{each.unidade.nome}: {each.risco.lower()}",
            href=address,
            text=f"sem confirmação há {format_duration(each.minutos_sem_confirmacao * 60)}",
            detail="Quadro de risco",
            urgency="urgent" if COLORS[each.risco].rank == 3 else "warning",
            action_label="Confirmar",
        )
        for each in late
    ]
    others = len(opened) - len(late)
    if others:
        noun = "unidade em risco" if others == 1 else "unidades em risco"
        items.append(
            Item(
                f"{others} {noun}",
                address,
                "confirmadas há pouco",
                "Quadro de risco",
                action_label="Ver o quadro",
                number=0,
            )
        )
    return items


async def find_units(visit: Visit, asked: str) -> Sequence[Item]:
    """Return the units whose names contain the search text."""
    if len(asked) < 2:
        return []
    found = await client.list_units(visit.api, {"busca": asked, "per_page": 5})
    return [
        Item(
            title=unit.nome,
            href=visit.address("health_units.show_unit", cnes=unit.cnes),
            text=unit.bairro or "",
            detail="Unidade de saúde",
        )
        for unit in found.data
    ]


_PARTS = (board.pages, board_stream.pages, units.pages, hours.pages, webhooks.pages, pages)

AREA = Area(
    "Saúde",
    30,
    Pages(KEY, BASE, _PARTS),
    waiting=[
        Waiting([READ], find_late_notifications, "health_units.show_board"),
        Waiting([WEBHOOKS], webhooks.WEBHOOKS.find_failing, "health_units.list_webhooks"),
    ],
    finders=[Finder([READ, UNITS], find_units)],
)
