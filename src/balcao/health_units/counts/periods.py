"""Rules for months and quarters: their first and last day, and their names."""

from datetime import date, timedelta

from balcao.core.errors import Fault, Unprocessable
from balcao.health_units.counts.schemas import CountsQuery, Periodo

MOST_DAYS = 5 * 366
_A_YEAR = timedelta(days=364)  # 365 days, counted from the first day to the last


def choose_days(query: CountsQuery, today: date) -> tuple[date, date]:
    """Return the first and the last day to count, extended to whole periods.

    Raises Unprocessable if `de` is after `ate` or more than MOST_DAYS before it.
    """
    ate = query.ate or today
    de = query.de or ate - _A_YEAR
    if not 0 <= (ate - de).days <= MOST_DAYS:
        item = Fault(loc=["query"], msg="`de` deve vir antes de `ate`, no máximo cinco anos", type="value_error")
        raise Unprocessable(faults=[item])
    return find_start(de, query.periodo), find_end(ate, query.periodo)


def find_start(day: date, periodo: Periodo) -> date:
    """Return the first day of the period that contains `day`."""
    return date(day.year, day.month - (day.month - 1) % periodo.months, 1)


def find_end(day: date, periodo: Periodo) -> date:
    """Return the last day of the period that contains `day`."""
    start = find_start(day, periodo)
    in_next = start + timedelta(days=31 * periodo.months)  # a day in the next period, whatever the month lengths
    return date(in_next.year, in_next.month, 1) - timedelta(days=1)


def format_period(start: date, periodo: Periodo) -> str:
    """Return the name of the period that starts on this day, for example `2026-10` or `2026-T4`."""
    if periodo is Periodo.MES:
        return f"{start.year}-{start.month:02}"
    return f"{start.year}-T{(start.month + 2) // 3}"
