"""The site's formats for dates, times and money: "hoje, 10h40", "sábado, 28 de novembro", "R$ 1.820"."""

from datetime import date, datetime, timedelta

from markupsafe import Markup

from balcao.web.words import MONTHS, Words, format_day_in_words


class SiteWords(Words):
    """The site's formats that depend on the city's time zone."""

    def format_hour(self, moment: datetime) -> str:
        """Format the time of day: "10h40", "8h"."""
        local = moment.astimezone(self.zone)
        return f"{local.hour}h{local.minute:02}" if local.minute else f"{local.hour}h"

    def format_when(self, moment: datetime, now: datetime | None = None) -> Markup:
        """Format a time, in words if it is near: "hoje, 10h40", "28/11/2026". The markup contains the exact time."""
        local, today = moment.astimezone(self.zone), (now or self.now()).date()
        days = {today: "hoje", today - timedelta(days=1): "ontem", today + timedelta(days=1): "amanhã"}
        day = days.get(local.date())
        text = f"{day}, {self.format_hour(moment)}" if day else f"{local:%d/%m/%Y}"
        return Markup('<time datetime="{}">{}</time>').format(local.isoformat(timespec="seconds"), text)

    def format_now(self) -> str:
        """Format the current time: "sábado, 28 de novembro, 10h40"."""
        now = self.now()
        return f"{format_day_in_words(now.date())}, {self.format_hour(now)}"

    def read_day(self, seconds: int) -> date:
        """Convert Unix seconds to the date in the city."""
        return datetime.fromtimestamp(seconds, self.zone).date()


def format_long_day(day: date) -> str:
    """Format a date with its year: "25 de agosto de 2026"."""
    return f"{day.day} de {MONTHS[day.month - 1]} de {day.year}"
