"""Format what the status page shows: states, times, shares, and ninety days as strokes."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from zoneinfo import ZoneInfo

from markupsafe import Markup

from balcao.core.live.incidents import Incident
from balcao.gateway.status.board import Board, ServiceStatus
from balcao.gateway.status.judgement import Day, State

# Each state has its own sign, because some readers cannot distinguish the colours.
STATES: Mapping[str, str] = {
    State.OPERATIONAL: "✓ Funciona",
    State.DEGRADED: "▲ Com problemas",
    State.DOWN: "✕ Fora do ar",
    State.MAINTENANCE: "■ Em manutenção",
    State.UNKNOWN: "? Sem informação",
}
SEVERITIES: Mapping[str, str] = {"degraded": STATES[State.DEGRADED], "down": STATES[State.DOWN]}
SUMMARIES: Mapping[str, str] = {
    State.OPERATIONAL: "Todos os serviços funcionam.",
    State.DEGRADED: "Há serviços com problemas.",
    State.DOWN: "Há serviços fora do ar.",
    State.MAINTENANCE: "Há serviços em manutenção.",
}
LEGEND: Mapping[str, str] = {
    "good": "dentro da meta",
    "low": "abaixo da meta",
    "bad": "muito abaixo (menos de 99 %)",
    "none": "sem chamadas",
}
_WORST_FIRST = (State.DOWN, State.DEGRADED, State.MAINTENANCE)
# A day is six units wide. A worse day has a shorter stroke, so that it is recognisable without colours.
_STEP, _WIDTH, _HEIGHT = 6, 4, 20
_STROKE_HEIGHTS: Mapping[str, int] = {"good": 20, "low": 14, "bad": 8, "none": 2}


def format_share(share: float | None) -> str:
    """Format a share as a percentage, never rounded up: "99,98 %"."""
    if share is None:
        return "–"
    hundredths = int(share * 10_000 + 1e-6)
    return f"{hundredths // 100},{hundredths % 100:02} %"


def format_local(moment: datetime, zone: ZoneInfo) -> str:
    """Format a time in the city's time zone."""
    return f"{moment.astimezone(zone):%d/%m/%Y %H:%M}"


def find_overall(board: Board) -> State:
    """Return the worst state among all services. Unknown states are ignored."""
    found = {service.state for service in board.services}
    return next((state for state in _WORST_FIRST if state in found), State.OPERATIONAL)


def list_titles(names: Iterable[str], titles: Mapping[str, str]) -> str:
    """Return the display names of the services, separated by commas."""
    return ", ".join(titles.get(name, name) for name in names)


def list_last_first(incident: Incident) -> Iterator[tuple[datetime, str]]:
    """Return the notes of the incident with their times, newest first."""
    return zip(reversed(incident.written), reversed(incident.notes), strict=True)


def draw_days(days: Sequence[Day]) -> Markup:
    """Draw a stroke for each day. Days with the same mark share one SVG path."""
    strokes: dict[str, list[str]] = {mark: [] for mark in _STROKE_HEIGHTS}
    for place, day in enumerate(days):
        strokes[day.mark].append(_draw_stroke(place * _STEP + 1, _STROKE_HEIGHTS[day.mark]))
    return Markup("").join(
        Markup('<path class="{}" d="{}"/>').format(mark, "".join(drawn)) for mark, drawn in strokes.items() if drawn
    )


def draw_sample(mark: str) -> Markup:
    """Draw the stroke for a mark, for the legend."""
    return Markup('<path class="{}" d="{}"/>').format(mark, _draw_stroke(1, _STROKE_HEIGHTS[mark]))


def _draw_stroke(left: int, height: int) -> str:
    return f"M{left} {_HEIGHT}v-{height}h{_WIDTH}v{height}z"


def describe_days(standing: ServiceStatus) -> str:
    """Describe the strokes in words, for screen readers."""
    marks = [day.mark for day in standing.days]
    parts = [f"{marks.count(mark)} {words}" for mark, words in LEGEND.items() if mark in marks]
    return f"{len(marks)} dias: {', '.join(parts)}"


def describe_level(standing: ServiceStatus) -> str:
    """Describe the share of good responses over all days and today."""
    if standing.availability is None:
        return "Sem chamadas em 90 dias."
    today = standing.days[-1].availability
    ending = "" if today is None else f", {format_share(today)} hoje"
    return f"{format_share(standing.availability)} de boas respostas em 90 dias{ending}."
