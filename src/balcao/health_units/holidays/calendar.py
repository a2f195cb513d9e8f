"""The national holidays of a year (rules: health_units 3.2)."""

from collections.abc import Iterator
from datetime import date

from balcao.health_units.holidays.schemas import Ambito, Holiday

_FIXED = {
    (1, 1): "Confraternização Universal",
    (4, 21): "Tiradentes",
    (5, 1): "Dia do Trabalho",
    (9, 7): "Independência",
    (10, 12): "Nossa Senhora Aparecida",
    (11, 2): "Finados",
    (11, 15): "Proclamação da República",
    (11, 20): "Consciência Negra",
    (12, 25): "Natal",
}
# The movable holidays. Each key is the holiday's name in the library. The value is its usual name in Brazil, and
# whether the holiday is optional.
_MOVABLE = {
    "Sexta-feira Santa": ("Paixão de Cristo", False),
    "Carnaval": ("Carnaval", True),
    "Corpus Christi": ("Corpus Christi", True),
}


def list_national_holidays(year: int) -> list[Holiday]:
    """Return the holidays, sorted by date.

    If a movable and a fixed holiday have the same date, only the fixed one is returned.
    """
    by_date = {holiday.data: holiday for holiday in _iterate_movable(year)}
    for (month, day), name in _FIXED.items():
        on = date(year, month, day)
        by_date[on] = Holiday(on, name, Ambito.NACIONAL, facultativo=False, fecha=True)
    return [by_date[on] for on in sorted(by_date)]


def _iterate_movable(year: int) -> Iterator[Holiday]:
    from holidays import country_holidays  # slow import (0.3 s) that is rarely needed

    known = country_holidays("BR", years=year, categories=("public", "optional"), language="pt_BR")
    for theirs, (ours, optional) in _MOVABLE.items():
        for on in known.get_named(theirs):
            yield Holiday(on, ours, Ambito.NACIONAL, facultativo=optional, fecha=True)
