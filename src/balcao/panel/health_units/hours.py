"""Pages for opening hours: the week, single days and holidays. Most forms preview the resulting days before saving."""

from collections.abc import Sequence
from datetime import date, timedelta
from typing import Any

from balcao.core.http.responses import Response
from balcao.panel.declaration import Pages
from balcao.panel.health_units import client
from balcao.panel.health_units.calendar import lay_out_year
from balcao.panel.health_units.client import Interval, OpenDay
from balcao.panel.health_units.declared import AREA, BASE, UNITS, reaches, require_reach, unit_crumbs
from balcao.panel.health_units.forms import ExceptionForm, HolidayForm, WeekForm
from balcao.panel.health_units.labels import SCOPES
from balcao.panel.visit import Visit
from balcao.web.api import ApiFault, Conflict, NotFound, Outdated, Read
from balcao.web.lists import read_day
from balcao.web.visit import Crumb

DAYS = 14
# The form field that names the pressed button, and its value for the preview button.
STEP, PREVIEW_STEP = "passo", "ver"


def format_intervals(intervals: Sequence[Interval]) -> str:
    """Format a day's opening hours in the way that people type them."""
    return ", ".join(f"{each.inicio}-{each.fim}" for each in intervals)


pages = Pages(AREA, BASE)


@pages.form("/unidades/{cnes}/horarios", "Horário da semana", actions=[UNITS])
async def edit_week(visit: Visit, cnes: str) -> Response[Any]:
    """Change the hours of the week, after a preview of the resulting days."""
    unit = await _read_unit(visit, cnes)
    week = await _read_week(visit, cnes)
    values: dict[str, Any] = {f"d{day}": format_intervals(week.value.semana.get(str(day), [])) for day in range(1, 8)}
    form = WeekForm(visit, values | {"abre_feriado": week.value.abre_feriado}, etag=week.etag)
    today = visit.panel.words.now().date()
    is_preview = visit.posted.first(STEP) == PREVIEW_STEP
    if (
        form.is_sent
        and not is_preview
        and await form.submit(lambda: client.put_week(visit.api, cnes, form.body, form.etag))
    ):
        return await visit.redirect(visit.address("health_units.show_unit", cnes=cnes), "Horário gravado.")
    if form.is_outdated:
        form.etag = week.etag
    days = None
    if is_preview and await form.submit(lambda: client.preview_days(visit.api, cnes, today, form.body)):
        days = form.result
    return visit.render(
        "health_units/week.html",
        form=form,
        unit=unit,
        days=days,
        changed=await _find_changed(visit, cnes, today, days),
        crumbs=unit_crumbs(visit, cnes, unit.nome),
        status=form.status,
    )


@pages.form("/unidades/{cnes}/dias", "Fechar ou mudar um dia", actions=[UNITS])
async def edit_exceptions(visit: Visit, cnes: str) -> Response[Any]:
    """List the days whose hours differ from the week, and add such a day after a preview of the resulting days."""
    unit = await _read_unit(visit, cnes)
    form = ExceptionForm(visit, {"dia": read_day(visit.query.first("dia"))})
    is_preview = visit.posted.first(STEP) == PREVIEW_STEP
    if form.is_sent and not is_preview and await form.submit(lambda: _put_exception(visit, cnes, form)):
        return await visit.redirect(
            visit.address("health_units.show_unit", cnes=cnes), f"Gravado para {form.dia.data:%d/%m/%Y}."
        )
    days, first, present = None, visit.panel.words.now().date(), None
    if form.is_sent and (day := read_day(str(form.dia.data))):
        first = _find_first(first, day)
        present = await _find_exception(visit, cnes, day)
        if is_preview or form.is_outdated:
            form.etag = "" if present is None else present.etag
    if is_preview and await form.submit(lambda: _preview_exception(visit, cnes, first, form)):
        days = form.result
    return visit.render(
        "health_units/exceptions.html",
        form=form,
        unit=unit,
        days=days,
        present=None if present is None else present.value,
        changed=await _find_changed(visit, cnes, first, days),
        exceptions=await client.list_exceptions(visit.api, cnes),
        format_intervals=format_intervals,
        crumbs=unit_crumbs(visit, cnes, unit.nome),
        status=form.status,
    )


@pages.post("/unidades/{cnes}/dias/{data}/desfazer", "Voltar ao horário da semana", actions=[UNITS])
async def delete_exception(visit: Visit, cnes: str, data: str) -> Response[Any]:
    """Remove a day's exception, so that the hours of the week apply again."""
    back = visit.address("health_units.edit_exceptions", cnes=cnes)
    try:
        await client.delete_exception(visit.api, cnes, data)
    except NotFound as fault:
        return await visit.redirect(back, fault.text, is_done=False)
    return await visit.redirect(back, "Nesse dia volta a valer o horário da semana.")


@pages.get("/feriados", "Feriados", actions=[UNITS], in_menu=True)
async def list_holidays(visit: Visit) -> Response[Any]:
    """Show the holidays of a year as a calendar and as a list."""
    this_year = visit.panel.words.now().year
    asked = visit.query.first("ano")
    year = int(asked) if asked.isascii() and asked.isdigit() and 2000 <= int(asked[:4]) <= 2100 else this_year
    holidays = await client.list_holidays(visit.api, year)
    return visit.render(
        "health_units/holidays.html",
        year=year,
        holidays=holidays,
        months=lay_out_year(year, {each.data: each for each in holidays}),
        scopes=SCOPES,
        may_edit=reaches(visit, UNITS, None),
    )


@pages.form("/feriados/{data}", "Feriado", actions=[UNITS])
async def edit_holiday(visit: Visit, data: str) -> Response[Any]:
    """Create or change a holiday. The address contains its date, or `novo` if no date has been chosen yet."""
    require_reach(visit, UNITS, None)
    present = None
    if data != "novo":
        try:
            present = await client.read_holiday(visit.api, data)
        except NotFound:
            present = None
    values = {
        "dia": read_day(data), "nome": "", "ambito": "municipal", "facultativo": False, "fecha": True
    } if present is None else {
        "dia": present.value.data, "nome": present.value.nome, "ambito": present.value.ambito,
        "facultativo": present.value.facultativo, "fecha": present.value.fecha,
    }  # fmt: skip
    # A submitted form without a version creates a holiday, even if the date has one by now.
    form = HolidayForm(visit, values, etag="" if present is None or visit.is_post else present.etag)
    back = visit.address("health_units.list_holidays", _query={"ano": data[:4] if data != "novo" else ""})
    if form.is_sent and await form.submit(lambda: _save_holiday(visit, data, form, present)):
        year = visit.address("health_units.list_holidays", _query={"ano": str(form.dia.data)[:4]})
        text, is_done = form.result
        return await visit.redirect(year, f"{form.nome.data}: {text}", is_done=is_done)
    if form.is_outdated:
        form.etag = "" if present is None else present.etag
    return visit.render(
        "health_units/holiday.html",
        form=form,
        present=None if present is None else present.value,
        back=back,
        crumbs=[Crumb("Feriados", visit.address("health_units.list_holidays"))],
        status=form.status,
    )


async def _save_holiday(
    visit: Visit, data: str, form: HolidayForm, present: Read[client.Holiday] | None
) -> tuple[str, bool]:
    """Save the holiday. If its date has changed, move it. Return the notice, and whether everything was done.

    A holiday never replaces another one that the person has not seen. Raises Conflict if the new date has a holiday,
    and Outdated if the holiday to move has changed.
    """
    day = form.dia.data
    if form.etag and str(day) == data:
        await client.put_holiday(visit.api, data, form.body, form.etag)
        return "gravado.", True
    if form.etag and (present is None or present.etag != form.etag):
        raise Outdated("Alguém mudou ou retirou este feriado. Confira e grave de novo.")
    try:
        other = await client.read_holiday(visit.api, str(day))
    except NotFound:
        await client.put_holiday(visit.api, str(day), form.body, "")
    else:  # an equal holiday is this form's own, sent twice
        if any(getattr(other.value, name) != value for name, value in form.body.items()):
            raise Conflict(f"Já há um feriado neste dia: {other.value.nome}. Para mudá-lo, abra-o na lista.")
    if not form.etag or present is None:
        return "gravado.", True
    former = present.value.data
    try:
        await client.delete_holiday(visit.api, data, form.etag)
    except NotFound:
        pass  # another person has removed it
    except ApiFault:
        text = f"gravado em {day:%d/%m/%Y}. O dia {former:%d/%m/%Y} continua feriado: confira e retire-o."
        return text, False
    return f"passou de {former:%d/%m/%Y} para {day:%d/%m/%Y}.", True


@pages.post("/feriados/{data}/retirar", "Retirar o feriado", actions=[UNITS])
async def delete_holiday(visit: Visit, data: str) -> Response[Any]:
    """Delete a holiday, so that its date becomes an ordinary day again."""
    back = visit.address("health_units.list_holidays", _query={"ano": data[:4]})
    try:
        await client.delete_holiday(visit.api, data)
    except NotFound as fault:
        return await visit.redirect(back, fault.text, is_done=False)
    return await visit.redirect(back, "A data voltou a ser um dia comum.")


async def _read_unit(visit: Visit, cnes: str) -> client.Unit:
    """Return the unit. Raises PageFault if the unit is outside the person's reach."""
    unit = await client.read_unit(visit.api, cnes)
    require_reach(visit, UNITS, unit.area)
    return unit


async def _read_week(visit: Visit, cnes: str) -> Read[client.Week]:
    try:
        return await client.read_week(visit.api, cnes)
    except NotFound:  # no week is stored yet
        return Read(client.Week({}, abre_feriado=False), "")


def _find_first(today: date, day: date) -> date:
    """Return the first day of the fourteen-day preview, so that the preview includes `day`."""
    return today if timedelta(0) <= day - today < timedelta(days=DAYS) else day - timedelta(days=DAYS // 2)


async def _find_exception(visit: Visit, cnes: str, day: date) -> Read[client.DayException] | None:
    try:
        return await client.read_exception(visit.api, cnes, day)
    except NotFound:
        return None


async def _put_exception(visit: Visit, cnes: str, form: ExceptionForm) -> client.DayException:
    """Save the exception. Raises Outdated if the day has an exception that the person has not seen."""
    day = form.dia.data
    if not form.etag and day and await _find_exception(visit, cnes, day) is not None:
        raise Outdated("Já há uma exceção neste dia.")
    return await client.put_exception(visit.api, cnes, str(day), form.body, form.etag)


async def _preview_exception(visit: Visit, cnes: str, first: date, form: ExceptionForm) -> list[OpenDay]:
    body = {"excecoes": [{"data": form.dia.data, **form.body}]}
    return await client.preview_days(visit.api, cnes, first, body)


async def _find_changed(visit: Visit, cnes: str, first: date, days: list[OpenDay] | None) -> frozenset[date]:
    """Return the days whose opening hours the change would affect."""
    if days is None:
        return frozenset()
    present = {each.data: each for each in await client.list_days(visit.api, cnes, first)}
    return frozenset(each.data for each in days if each != present.get(each.data))
