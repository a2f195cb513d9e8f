"""The sandbox's health units, with ninety days of notifications (rules: health_units 7).

Apart from the dates, the data is the same in every sandbox. Each unit's history is generated with the seed 2026,
relative to the day of the first start.
"""

import asyncio
import itertools
import random
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from typing import Any

from balcao.core.context.call import Call, operator_call
from balcao.core.context.platform import Platform
from balcao.core.values.clock import utc_now
from balcao.core.values.cnes import Cnes
from balcao.health_units.areas import service as areas
from balcao.health_units.neighbourhoods import service as neighbourhoods
from balcao.health_units.notifications import service as notifications
from balcao.health_units.notifications.schemas import Causa, ChangeBody, CloseBody, OpenBody
from balcao.health_units.opening import SATURDAY
from balcao.health_units.situation import Risco
from balcao.health_units.timetables import service as timetables
from balcao.health_units.timetables.schemas import ExceptionBody, ExceptionsQuery, WeekBody
from balcao.health_units.units import service as units
from balcao.health_units.webhooks import service as webhooks
from balcao.health_units.webhooks.schemas import WebhookBody
from balcao_sandbox.demo import health_units_city as city

SEED = 2026
HISTORY_DAYS = 90
AREAS = tuple(city.AREAS)
CODES = tuple(city.UNITS)
DEACTIVATED = "9900023"

# Write at most this many histories concurrently. With more, a slow machine could wait so long for a connection that it
# would consider the database to be down.
MOST_CONCURRENT = 4
# Each unit's number of past notifications. A unit without an entry has never had one.
EPISODES = {
    "9900002": 40, "9900005": 40, "9900001": 10, "9900003": 10, "9900004": 10, "9900006": 10,
    "9900007": 10, "9900008": 10, "9900009": 10, "9900010": 10, "9900011": 10, "9900012": 10,
}  # fmt: skip
OPEN_NOW = {
    "9900001": Risco.AMARELO,
    "9900002": Risco.AMARELO,
    "9900003": Risco.LARANJA,
    "9900004": Risco.VERMELHO,
}
OCCURRENCE = "confronto_armado"
# The webhook is inactive, because its address does not exist.
WEBHOOK = WebhookBody(url="https://painel.example/avisos", descricao="Painel do centro de operações", ativo=False)
UNTOUCHED = "9900011"
MISTAKEN = "9900012"
ACTIVE = "9900004"
QUIET = "9900013"
SIMULATED = ("9900014", "9900015", "9900016", "9900017", "9900018")


def _make_week(
    day: Sequence[tuple[str, str]],
    saturday: Sequence[tuple[str, str]] = (),
    *,
    always: bool = False,
    holidays: bool = False,
) -> WeekBody:
    """Return a unit's weekly hours.

    The unit opens on weekdays and, if given, on Saturdays. If `always` is set, it opens every day. With `holidays`, it
    has the same hours on holidays.
    """
    hours = dict.fromkeys("1234567" if always else "12345", day) | ({"6": saturday} if saturday else {})
    semana = {name: [{"inicio": start, "fim": end} for start, end in openings] for name, openings in hours.items()}
    return WeekBody.model_validate({"semana": semana, "abre_feriado": always or holidays})


_USUAL = _make_week([("08:00", "17:00")])
_WITH_SATURDAY = _make_week([("08:00", "17:00")], [("08:00", "12:00")])
# A yellow unit has these hours, so that some yellow unit opens on every Saturday, even on a holiday.
_EVERY_SATURDAY = _make_week([("08:00", "17:00")], [("08:00", "12:00")], holidays=True)
_WITH_LUNCH_BREAK = _make_week([("08:00", "12:00"), ("13:00", "17:00")])
_LONG = _make_week([("07:00", "20:00")])
_ALWAYS = _make_week([("00:00", "24:00")], always=True)
# Eighteen units open on weekdays. Of these, four also open on Saturdays, and one has a lunch break. Three units have
# long hours, and two never close. The deactivated unit has no timetable.
WEEKS = {
    **dict.fromkeys(CODES[:18], _USUAL),
    CODES[1]: _EVERY_SATURDAY,
    **dict.fromkeys(CODES[2:5], _WITH_SATURDAY),
    CODES[6]: _WITH_LUNCH_BREAK,
    **dict.fromkeys(CODES[18:21], _LONG),
    **dict.fromkeys((CODES[21], CODES[23]), _ALWAYS),
}


# On one Saturday, some units that are usually closed on Saturdays open for a vaccination.
VACCINATING = (CODES[0], CODES[5])
VACCINATION = ExceptionBody.model_validate(
    {"intervalos": [{"inicio": "08:00", "fim": "13:00"}], "motivo": "vacinação no sábado"}
)


@dataclass(frozen=True)
class Step:
    """A change to a unit's notification. If `causa` is set, the change closes the notification."""

    at: datetime
    risco: Risco
    causa: Causa | None = None


async def load_demo_health_units(platform: Platform) -> None:
    """Store missing units, areas, timetables and notifications, and a webhook."""
    call = operator_call(platform, "health_units.demo")
    known = await units.list_unit_codes(call)
    for code, unit in city.UNITS.items():
        if code not in known:
            await units.put_unit(call, Cnes(code), unit.model_copy(update={"ativa": code != DEACTIVATED}))
    drawn = {area.id for area in (await areas.list_areas(call)).features}
    for code, area in city.AREAS.items():
        if code not in drawn:
            await areas.put_area(call, code, area)
    placed = {each.bairro for each in (await neighbourhoods.list_neighbourhoods(call)).itens if each.cadastrado}
    for name, place in city.NEIGHBOURHOODS.items():
        if name not in placed:
            await neighbourhoods.put_neighbourhood(call, name, place)
    with_week = await timetables.list_codes_with_timetable(call)
    for code, week in WEEKS.items():
        if code not in with_week:
            await timetables.put_week(call, Cnes(code), week)
    for code in VACCINATING:
        if not (await timetables.list_exceptions(call, Cnes(code), ExceptionsQuery())).itens:
            await timetables.put_exception(call, Cnes(code), _find_vaccination_day(platform), VACCINATION)
    if not await webhooks.WEBHOOKS.list_webhooks(call):
        await webhooks.WEBHOOKS.add_webhook(call, WEBHOOK)
    day = utc_now().astimezone(platform.zone)
    places = asyncio.Semaphore(MOST_CONCURRENT)

    async def replay(code: str) -> None:
        async with places:
            await _replay(call, Cnes(code), _draw_steps(code, day))

    await asyncio.gather(*map(replay, EPISODES))


def _find_vaccination_day(platform: Platform) -> date:
    """Return the first Saturday that is at least a week ahead."""
    day = utc_now().astimezone(platform.zone).date() + timedelta(days=7)
    return day + timedelta(days=(SATURDAY - day.isoweekday()) % 7)


async def find_health_unit_examples(_: Platform) -> Mapping[str, Any]:
    """Return the codes of one unit with an active notification and one that has never had a notification."""
    return {"cnes_active": ACTIVE, "cnes_quiet": QUIET}


async def simulate(call: Call, count: int | None) -> AsyncIterator[str]:
    """Change the risk of random units, and yield a description of each change.

    Only units without a demo history are changed. If `count` is None, this continues forever.
    """
    draw = random.Random()  # noqa: S311 - no secret
    for _ in range(count) if count else itertools.count():
        cnes = Cnes(draw.choice(SIMULATED))
        color = draw.choice(list(Risco)[1:])
        present = await notifications.read_latest_notification(call, cnes)
        if present is None or not present.active:
            await notifications.open_notification(call, cnes, OpenBody(risco=color))
            yield f"{cnes}: aberta, {color}"
        elif draw.random() < 0.5:
            await notifications.change_notification(call, cnes, present.id, ChangeBody(risco=color))
            yield f"{cnes}: {color}"
        else:
            await notifications.close_notification(call, cnes, present.id, CloseBody(risco=Risco.VERDE))
            yield f"{cnes}: encerrada"


async def _replay(call: Call, cnes: Cnes, steps: list[Step]) -> None:
    """Apply a unit's missing steps, so that an interrupted load can continue."""
    for step in steps[await notifications.count_notification_events(call, cnes) :]:
        present = await notifications.read_latest_notification(call, cnes)
        if present is None or not present.active:
            await notifications.open_notification(
                call, cnes, OpenBody(risco=step.risco, ocorrencia=OCCURRENCE), step.at
            )
        elif step.causa is None:
            await notifications.change_notification(call, cnes, present.id, ChangeBody(risco=step.risco), step.at)
        else:
            await notifications.close_notification(
                call, cnes, present.id, CloseBody(causa=step.causa, risco=step.risco), step.at
            )


def _draw_steps(code: str, now: datetime) -> list[Step]:
    """Return a unit's steps in chronological order."""
    draw = random.Random(f"{SEED}-{code}")  # noqa: S311 - demo data, no secret
    midnight = datetime.combine(now.date(), time(), now.tzinfo)
    days = sorted(draw.sample(range(3, HISTORY_DAYS), EPISODES[code]), reverse=True)
    steps = [step for days_ago in days for step in _draw_episode(draw, midnight - timedelta(days=days_ago))]
    return steps + list(_list_last_steps(code, now, midnight))


def _draw_episode(draw: random.Random, midnight: datetime) -> Iterator[Step]:
    at = midnight + timedelta(hours=draw.randint(7, 15), minutes=draw.randrange(60))
    risco = draw.choice(list(Risco)[1:])
    yield Step(at, risco)
    if draw.random() < 0.4:
        at += timedelta(minutes=draw.randint(20, 120))
        risco = draw.choice(list(Risco)[1:])
        yield Step(at, risco)
    yield Step(at + timedelta(minutes=draw.randint(30, 240)), risco, Causa.NORMALIZACAO)


def _list_last_steps(code: str, now: datetime, midnight: datetime) -> Iterator[Step]:
    """Yield a unit's last steps, which lead to its current state."""
    if code in OPEN_NOW:
        yield Step(now - timedelta(minutes=40), OPEN_NOW[code])
    elif code == UNTOUCHED:
        yield Step(now - timedelta(hours=30), Risco.AMARELO)
    elif code == MISTAKEN:
        yield Step(midnight - timedelta(hours=15), Risco.VERMELHO)
        yield Step(midnight - timedelta(hours=14), Risco.VERMELHO, Causa.ENGANO)
    else:
        last = (Risco.AMARELO, Risco.LARANJA, Risco.VERMELHO)[int(code) % 3]
        yield Step(midnight - timedelta(hours=16), last)
        yield Step(midnight - timedelta(hours=13), last, Causa.NORMALIZACAO)
