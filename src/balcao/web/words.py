"""Formats for dates and numbers that people in the city are used to."""

from collections.abc import Sequence
from datetime import date, datetime, timedelta
from zoneinfo import ZoneInfo

from markupsafe import Markup

WEEKDAYS = ("segunda-feira", "terça-feira", "quarta-feira", "quinta-feira", "sexta-feira", "sábado", "domingo")
MONTHS = (
    "janeiro", "fevereiro", "março", "abril", "maio", "junho",
    "julho", "agosto", "setembro", "outubro", "novembro", "dezembro",
)  # fmt: skip
_MEGABYTE = 1_000_000
# The first words of the names of public bodies, by the article that they need in a sentence.
_BODIES = {
    "a": (
        "Agência", "Câmara", "Companhia", "Controladoria", "Coordenadoria", "Defesa", "Empresa", "Fundação", "Guarda",
        "Ouvidoria", "Prefeitura", "Procuradoria", "Secretaria", "Subprefeitura", "Subsecretaria", "Superintendência",
    ),
    "o": ("Arquivo", "Centro", "Conselho", "Departamento", "Fundo", "Gabinete", "Instituto", "Serviço"),
}  # fmt: skip
_ARTICLES = {word: article for article, words in _BODIES.items() for word in words}


class Words:
    """Formats that depend on the city's time zone."""

    def __init__(self, zone: ZoneInfo) -> None:
        self.zone = zone

    def now(self) -> datetime:
        """Return the current time in the city."""
        return datetime.now(self.zone)

    def format_moment(self, moment: datetime | None, now: datetime | None = None) -> Markup:
        """Format a time for people, with the exact time in the markup: "hoje, 10:31", "20/11/2026, 09:00"."""
        if moment is None:
            return Markup("–")
        local, today = moment.astimezone(self.zone), (now or self.now()).date()
        days = {today: "hoje", today - timedelta(days=1): "ontem", today + timedelta(days=1): "amanhã"}
        day = days.get(local.date()) or f"{local:%d/%m/%Y}"
        return Markup('<time datetime="{}">{}, {}</time>').format(
            local.isoformat(timespec="seconds"), day, f"{local:%H:%M}"
        )

    def format_clock(self, moment: datetime) -> str:
        """Format the time of day: "10:31"."""
        return f"{moment.astimezone(self.zone):%H:%M}"

    def format_end(self, begin: datetime, end: datetime) -> str:
        """Format the end of a range: " a 10:45". Return an empty string if both ends show the same time."""
        clock = self.format_clock(end)
        return "" if clock == self.format_clock(begin) else f" a {clock}"

    def format_exactly(self, moment: datetime) -> Markup:
        """Format a time for a receipt, independently of the current day: "28 de novembro de 2026, às 16:31:07"."""
        local = moment.astimezone(self.zone)
        day = f"{local.day} de {MONTHS[local.month - 1]} de {local.year}"
        return Markup('<time datetime="{}">{}, às {}</time>').format(
            local.isoformat(timespec="seconds"), day, f"{local:%H:%M:%S}"
        )

    def format_deadline(self, moment: datetime | None) -> Markup:
        """Format a deadline. If the time is 23:59, show only the date."""
        if moment is None:
            return Markup("–")
        local = moment.astimezone(self.zone)
        if (local.hour, local.minute) != (23, 59):
            return self.format_moment(moment)
        return Markup('<time datetime="{}">{}</time>').format(local.isoformat(timespec="seconds"), f"{local:%d/%m/%Y}")

    def format_last_day(self, moment: datetime, now: datetime | None = None) -> Markup:
        """Format the day on which something ends: "28 de dezembro". Add the year if it is not the current one."""
        local = moment.astimezone(self.zone)
        year = "" if local.year == (now or self.now()).year else f" de {local.year}"
        day = f"{format_day_of_month(local.date())}{year}"
        return Markup('<time datetime="{}">{}</time>').format(local.isoformat(timespec="seconds"), day)

    def count_days_left(self, moment: datetime, now: datetime | None = None) -> str:
        """Describe how many days are left until a deadline: "faltam 30 dias", "termina hoje".

        Return "" after the deadline.
        """
        now = now or self.now()
        days = (moment.astimezone(self.zone).date() - now.date()).days
        if moment <= now:
            return ""
        return ("termina hoje", "termina amanhã")[days] if days < 2 else f"faltam {format_number(days)} dias"

    def format_next_time(self, moment: datetime, now: datetime | None = None) -> str:
        """Format a future time for use in a sentence: "às 13h", "amanhã, às 8h", "segunda-feira, às 8h"."""
        local, today = moment.astimezone(self.zone), (now or self.now()).astimezone(self.zone).date()
        at = format_at(f"{local:%H:%M}")
        days = (local.date() - today).days
        match days:
            case 0:
                return at
            case 1:
                return f"amanhã, {at}"
            case _ if 1 < days < 7:
                return f"{WEEKDAYS[local.weekday()]}, {at}"
        return f"em {format_day_of_month(local.date())}, {at}"

    def format_since(self, moment: datetime, now: datetime | None = None) -> str:
        """Format a past time for use after "desde": "as 9h57", "as 9h57 de ontem"."""
        local, today = moment.astimezone(self.zone), (now or self.now()).astimezone(self.zone).date()
        at = format_at(f"{local:%H:%M}").translate(str.maketrans("à", "a"))
        match (today - local.date()).days:
            case 0:
                return at
            case 1:
                return f"{at} de ontem"
        return f"{at} de {format_day_of_month(local.date())}"

    def format_span(self, begin: datetime, end: datetime | None, now: datetime | None = None) -> str:
        """Format a period: "desde as 9h57", "20 de novembro, das 8h às 11h32"."""
        if end is None:
            return f"desde {self.format_since(begin, now)}"
        first, last = begin.astimezone(self.zone), end.astimezone(self.zone)
        start, stop = (format_at(f"{moment:%H:%M}") for moment in (first, last))
        if first.date() == last.date():
            return f"{format_day_of_month(first.date())}, d{start.translate(str.maketrans('à', 'a'))} {stop}"
        return f"de {format_day_of_month(first.date())}, {start}, até {format_day_of_month(last.date())}, {stop}"

    def format_today(self) -> str:
        """Format today's date in words: "quinta-feira, 26 de novembro"."""
        return format_day_in_words(self.now().date())

    def greet(self, now: datetime | None = None) -> str:
        """Return the greeting for the current time of day."""
        hour = (now or self.now()).hour
        return "Bom dia" if 5 <= hour < 12 else "Boa tarde" if 12 <= hour < 18 else "Boa noite"


def format_day(day: date | None) -> str:
    """Format a date: "26/11/2026"."""
    return "–" if day is None else f"{day:%d/%m/%Y}"


def format_day_in_words(day: date) -> str:
    """Format a date in words: "quinta-feira, 26 de novembro"."""
    return f"{WEEKDAYS[day.weekday()]}, {day.day} de {MONTHS[day.month - 1]}"


def format_day_of_month(day: date) -> str:
    """Format a date without its year: "28 de dezembro", "1º de maio"."""
    return f"{'1º' if day.day == 1 else day.day} de {MONTHS[day.month - 1]}"


def format_weekday(day: date) -> str:
    """Return the abbreviated weekday of a date: "qui"."""
    return WEEKDAYS[day.weekday()][:3]


def capitalize_first(text: str) -> str:
    """Capitalise the first letter of a string, and leave the rest unchanged."""
    return text[:1].upper() + text[1:]


def lower_first(text: str) -> str:
    """Start a string with a small letter, for use inside a sentence. An abbreviation such as "TI" does not change."""
    return text if text[1:2].isupper() else text[:1].lower() + text[1:]


def add_article(name: str) -> str:
    """Return the name of a public body with its article: "a Secretaria de Saúde". An unknown name gets no article."""
    article = _ARTICLES.get(name.partition(" ")[0])
    return f"{article} {name}" if article else name


def format_number(number: float | None, digits: int = 0) -> str:
    """Format a number: "1.234,5"."""
    if number is None:
        return "–"
    return f"{number:,.{digits}f}".translate(str.maketrans(",.", ".,"))


def parse_number(text: str) -> int | None:
    """Parse a number of up to 18 digits. Return None for any other string."""
    return int(text) if text.isascii() and text.isdigit() and len(text) < 19 else None


def format_count(count: int, one: str, many: str) -> str:
    """Format a number with its noun, in the singular or plural: "1 tarefa", "1.200 tarefas"."""
    return f"{format_number(count)} {one if count == 1 else many}"


def format_money(amount: float | None) -> str:
    """Format an amount in reais, with cents only if there are any: "R$ 1.820", "R$ 1.820,50"."""
    if amount is None:
        return "–"
    return f"R$ {format_number(amount, 0 if round(amount * 100) % 100 == 0 else 2)}"


def format_time_of_day(text: str) -> str:
    """Format a time such as "08:00" as people say it: "8h", "12h20", "meia-noite"."""
    hour, minute = (int(part) for part in text.split(":")[:2])
    if hour % 24 == 0 and minute == 0:
        return "meia-noite"
    return f"{hour}h{minute:02}" if minute else f"{hour}h"


def format_at(text: str) -> str:
    """Format a time such as "08:00" with its preposition: "às 8h", "à 1h30", "à meia-noite"."""
    clock = format_time_of_day(text)
    return f"à {clock}" if clock.startswith(("meia", "1h")) else f"às {clock}"


def join_words(words: Sequence[str], last: str = "e") -> str:
    """Join words as in a sentence: "a, b e c"."""
    return f" {last} ".join(filter(None, (", ".join(words[:-1]), *words[-1:])))


def format_distance(metres: float) -> str:
    """Format an approximate distance: "a uns 800 m", "a uns 2,5 km", "a uns 12 km"."""
    if metres < 950:
        return f"a uns {max(100, round(metres / 100) * 100)} m"
    kilometres = round(metres / 500) / 2 if metres < 9_750 else round(metres / 1000)
    return f"a uns {format_number(kilometres, 0 if kilometres == int(kilometres) else 1)} km"


def format_phone(number: str) -> str:
    """Format a Brazilian phone number: "(21) 90000-0003". Return any other number unchanged."""
    digits = "".join(sign for sign in number if sign.isdigit())
    if digits.startswith("55") and len(digits) in {12, 13}:
        digits = digits[2:]
    elif number.startswith("+") or len(digits) not in {10, 11}:
        return number
    return f"({digits[:2]}) {digits[2:-4]}-{digits[-4:]}"


def format_duration(seconds: float) -> str:
    """Format a duration with its two largest units that are not zero: "3 h 10 min"."""
    minutes, rest = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    days, hours = divmod(hours, 24)
    parts = [(days, "d"), (hours, "h"), (minutes, "min"), (rest, "s")]
    shown = [f"{number} {unit}" for number, unit in parts if number]
    return " ".join(shown[:2]) or "0 s"


def format_file_size(size: int) -> str:
    """Format the size of a file: "480 kB", "1,2 MB"."""
    return (
        f"{format_number(max(1, size // 1_000))} kB" if size < _MEGABYTE else f"{format_number(size / _MEGABYTE, 1)} MB"
    )
