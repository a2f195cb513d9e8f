"""The risk board: the city's open notifications on a map and in a list, and the forms that change notifications."""

import asyncio
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from balcao.core.http.responses import Response
from balcao.panel.declaration import Pages
from balcao.panel.health_units import client
from balcao.panel.health_units.declared import AREA, BASE, MANAGE, READ, reaches, require_reach
from balcao.panel.health_units.drawing import MapDrawer
from balcao.panel.health_units.forms import ChangeForm, CloseForm, OpenForm
from balcao.panel.health_units.labels import COLORS, LATE_MINUTES, describe_event
from balcao.panel.visit import Visit
from balcao.web.api import ApiFault, NotAllowed, Outdated, gather_blocks
from balcao.web.visit import Crumb
from balcao.web.words import parse_number

# Redraw the board after each change, and at least this often, because it shows how long notifications have been open.
REDRAW_SECONDS = 60

# The lowest risk colour. Every unit without an open notification has it.
SAFEST = next(iter(COLORS))
_MAP = MapDrawer()

pages = Pages(AREA, BASE)


class BoardRow(NamedTuple):
    """The board's row for a unit.

    `notification` is None if the unit has no open notification or is outside the person's reach.
    """

    unit: client.Unit | client.NamedUnit
    color: str
    since: datetime | None
    notification: client.OpenNotification | None = None


def _join_rows(opened: Sequence[client.OpenNotification], units: Sequence[client.Unit]) -> list[BoardRow]:
    """Return one row for each unit, highest risk first, including units outside the person's reach.

    Open notifications and units come from two separate reads. The counters count these rows, so they always agree with
    the list.
    """
    own = {each.unidade.cnes: BoardRow(each.unidade, each.risco, each.aberta_em, each) for each in opened}
    others = [BoardRow(unit, unit.risco_atual.risco, unit.risco_atual.desde) for unit in units if unit.cnes not in own]
    severity = {color: place for place, color in enumerate(COLORS)}
    return sorted([*own.values(), *others], key=lambda row: -severity[row.color])


@pages.get("/risco", "Quadro de risco", actions=[READ], in_menu=True)
async def show_board(visit: Visit) -> Response[Any]:
    """Show the board. The page's script requests the board again, and gets 204 if nothing has changed."""
    sequence = await client.read_sequence(visit.api)
    if visit.is_fragment and not _must_redraw(visit, sequence):
        return Response(status=204)
    board = await read_board(visit)
    shown = "health_units/board_now.html" if visit.is_fragment else "health_units/board.html"
    return await visit.render_in_thread(shown, **board, sequence=sequence, drawn_at=int(time.time()))


def _must_redraw(visit: Visit, sequence: int) -> bool:
    drawn_at = parse_number(visit.query.first("desde"))
    is_old = drawn_at is None or time.time() - drawn_at >= REDRAW_SECONDS
    return is_old or visit.query.first("sequencia") != str(sequence)


async def read_board(visit: Visit) -> dict[str, Any]:
    """Return the board's data for this person."""
    opened, units, areas, occurrences = await asyncio.gather(
        client.list_open(visit.api),
        client.map_units(visit.api),
        client.download_areas(visit.api),
        client.list_values(visit.api, "ocorrencias"),
    )
    (events,) = await gather_blocks(client.list_events(visit.api, limit=8))
    rows = _join_rows(opened.itens, units)
    colors = Counter(row.color for row in rows)
    return {
        "rows": [row for row in rows if row.notification or row.color != SAFEST],
        "read_at": opened.gerado_em,
        "events": events,
        "sums": {color: colors[color] for color in reversed(COLORS)},
        "map": await _MAP.draw(areas, units),
        "may_act": lambda area: visit.may(MANAGE) and reaches(visit, MANAGE, area),
        "occurrences": {value.codigo: value.nome for value in occurrences},
        "late": LATE_MINUTES,
        "colors": COLORS,
        "describe_event": describe_event,
    }


@pages.form("/risco/abrir", "Abrir notificação", actions=[MANAGE])
async def open_notification(visit: Visit) -> Response[Any]:
    """Open a notification for a unit that has no open notification."""
    form = OpenForm(visit, {"cnes": visit.query.first("unidade")})
    units, _ = await asyncio.gather(client.map_units(visit.api), _offer(visit, form))
    free = [unit for unit in units if unit.risco_atual.desde is None and reaches(visit, MANAGE, unit.area)]
    offered = {"": "Escolha…", **{unit.cnes: f"{unit.nome} ({unit.bairro})" for unit in free}}
    sent = form.cnes.data or ""
    if form.is_sent and sent not in offered:
        # Another person may have opened a notification in the meantime. Keep the unit selectable, so that the service
        # can report the conflict.
        offered[sent] = next((unit.nome for unit in units if unit.cnes == sent), sent)
    form.cnes.choices = offered
    asked = next((unit for unit in units if unit.cnes == visit.query.first("unidade")), None)
    if asked is not None:
        require_reach(visit, MANAGE, asked.area)
    if form.is_sent and await form.submit(lambda: client.open_notification(visit.api, sent, form.body, form.key)):
        name = next((unit.nome for unit in units if unit.cnes == sent), sent)
        return await _back_to_board(visit, f"{name}: {(form.risco.data or '').lower()} desde agora.")
    return visit.render(
        "health_units/open.html", form=form, colors=COLORS, crumbs=[_board_crumb(visit)], status=form.status
    )


@pages.post("/unidades/{cnes}/notificacoes/{id}/confirmar", "Confirmar a cor", actions=[MANAGE])
async def confirm(visit: Visit, cnes: str, id: str) -> Response[Any]:
    """Confirm the colour that the board showed, with the stored remarks."""
    seen, color = visit.posted.first("_etag"), visit.posted.first("risco")
    present = await client.read_notification(visit.api, cnes, id)
    body = {
        "risco": color,
        "motivo": present.motivo,
        "ocorrencia": present.ocorrencia,
        "consequencias": present.consequencias,
    }
    try:
        await client.change_notification(visit.api, cnes, id, body, seen)
    except Outdated:
        address = visit.address("health_units.change", cnes=cnes, id=id, _query={"risco": color})
        return await visit.redirect(
            address, "Alguém mudou esta notificação antes de você. Nada foi confirmado.", is_done=False
        )
    except NotAllowed:
        raise
    except ApiFault as fault:
        return await _back_to_board(visit, fault.text, is_done=False)
    return await _back_to_board(visit, f"{color} confirmado agora.")


@pages.form("/unidades/{cnes}/notificacoes/{id}/mudar", "Mudar a cor", actions=[MANAGE])
async def change(visit: Visit, cnes: str, id: str) -> Response[Any]:
    """Change the colour. After a concurrent change, show both colours."""
    unit, present = await _read_both(visit, cnes, id)
    chosen = visit.query.first("risco") if visit.query.first("risco") in COLORS else present.risco
    values = {
        "risco": chosen,
        "motivo": present.motivo,
        "ocorrencia": present.ocorrencia,
        "consequencias": present.consequencias,
    }
    form = ChangeForm(visit, values, etag=present.etag)
    await _offer(visit, form)
    if form.is_sent and await form.submit(
        lambda: client.change_notification(visit.api, cnes, id, form.body, form.etag)
    ):
        return await _back_to_board(visit, f"{unit.nome}: {(form.risco.data or '').lower()} desde agora.")
    return _render_act(visit, "health_units/change.html", form, unit, present)


@pages.form("/unidades/{cnes}/notificacoes/{id}/encerrar", "Encerrar", actions=[MANAGE])
async def close(visit: Visit, cnes: str, id: str) -> Response[Any]:
    """Close a notification with a reason."""
    unit, present = await _read_both(visit, cnes, id)
    form = CloseForm(visit, etag=present.etag)

    async def send() -> client.Notification:
        body: Mapping[str, Any] = {
            "causa": form.causa.data, "risco": form.risco.data, "motivo": form.motivo.data
        }  # fmt: skip
        return await client.close_notification(visit.api, cnes, id, body, form.etag, form.key)

    if form.is_sent and await form.submit(send):
        return await _back_to_board(visit, f"{unit.nome}: notificação encerrada.")
    return _render_act(visit, "health_units/close.html", form, unit, present)


async def _read_both(visit: Visit, cnes: str, id: str) -> tuple[client.Unit, client.Notification]:
    """Return a unit and one of its notifications. Raises PageFault if the unit is outside the person's reach."""
    unit = await client.read_unit(visit.api, cnes)
    require_reach(visit, MANAGE, unit.area)
    return unit, await client.read_notification(visit.api, cnes, id)


def _render_act(
    visit: Visit, template: str, form: ChangeForm | CloseForm, unit: client.Unit, present: client.Notification
) -> Response[Any]:
    typed = form.etag
    if form.is_outdated:
        form.etag = present.etag  # a resubmission is based on the version shown now
    return visit.render(
        template,
        form=form,
        unit=unit,
        present=present,
        was_outdated=form.is_outdated and typed != present.etag,
        colors=COLORS,
        crumbs=[_board_crumb(visit)],
        status=form.status,
    )


async def _offer(visit: Visit, form: OpenForm | ChangeForm) -> None:
    """Offer the occurrences and consequences that the health department has defined."""
    occurrences, consequences = await asyncio.gather(
        client.list_values(visit.api, "ocorrencias"), client.list_values(visit.api, "consequencias")
    )
    form.offer(_name_choices(occurrences), _name_choices(consequences))


def _name_choices(values: Sequence[client.Value]) -> Mapping[str, str]:
    """Return the names of the active values. The catch-all value comes last."""
    chosen = sorted(values, key=lambda value: value.codigo == "outra")
    return {value.codigo: value.nome for value in chosen if value.ativo}


def _board_crumb(visit: Visit) -> Crumb:
    return Crumb("Quadro de risco", visit.address("health_units.show_board"))


async def _back_to_board(visit: Visit, notice: str, *, is_done: bool = True) -> Response[Any]:
    return await visit.redirect(visit.address("health_units.show_board"), notice, is_done=is_done)
