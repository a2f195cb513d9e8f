"""The four risk colours, and the current state of a unit.

Pages never show only the colour. They also show a word and a symbol.
"""

from typing import NamedTuple

from balcao.site.health.client import Attendance, Risk, Unit
from balcao.web.words import Words, format_time_of_day

EMERGENCY_KINDS = frozenset({"UPA", "HOSPITAL"})
UNKNOWN = "Não sabemos agora. Ligue antes de ir."


class Color(NamedTuple):
    """A colour: its symbol and class in the style sheet, its rank, and its meaning.

    `one` and `many` describe one unit and several units with this colour.
    """

    name: str
    symbol: str
    kind: str
    rank: int
    short: str
    one: str
    many: str
    meaning: str
    advice: str


COLORS = {
    color.name: color
    for color in (
        Color(
            "Verde", "verde", "ok", 1, "tudo normal", "verde", "verdes",
            "A unidade atende como sempre, e as equipes fazem visitas em casa.",
            "Pode ir.",
        ),
        Color(
            "Amarelo", "amarelo", "at", 2, "sem visitas em casa", "amarela", "amarelas",
            "A unidade atende no local. As visitas em casa e as atividades na rua estão suspensas.",
            "Pode ir. Se você espera uma visita em casa, ligue para a unidade.",
        ),
        Color(
            "Laranja", "laranja", "or", 3, "atende só parte", "laranja", "laranjas",
            "A unidade atende só uma parte dos casos. As visitas em casa estão suspensas.",
            "Ligue antes de ir.",
        ),
        Color(
            "Vermelho", "vermelho", "no", 4, "não atende agora", "vermelha", "vermelhas",
            "A unidade não atende, e as equipes estão em lugar seguro.",
            "Não vá agora. Em uma urgência, procure um pronto atendimento (UPA) ou ligue 192.",
        ),
    )
}  # fmt: skip


class State(NamedTuple):
    """Whether a unit is open, in words. `kind` and `symbol` are names from the style sheet."""

    text: str
    kind: str
    symbol: str
    is_open: bool


def find_color(risk: Risk) -> Color:
    """Return the colour for a risk. An unknown colour counts as the one with the highest risk."""
    return COLORS.get(risk.risco, COLORS["Vermelho"])


def describe_state(attendance: Attendance, words: Words) -> State:
    """Describe whether the unit is open now, and when it closes or opens next."""
    match attendance.situacao:
        case "aberto":
            return State(_describe_open(attendance, words), "ok", "relogio", is_open=True)
        case "fechado_por_risco":
            return State("Fechada por segurança", "no", "vermelho", is_open=False)
        case "fechado":
            opening = attendance.proxima_abertura
            text = "Fechada agora"
            if opening is not None:
                text = f"Fechada agora, abre {words.format_next_time(opening, attendance.calculado_em)}"
            return State(text, "", "relogio", is_open=False)
    return State("Não sabemos o horário", "", "atencao", is_open=False)


def _describe_open(attendance: Attendance, words: Words) -> str:
    closing = attendance.proximo_fechamento
    if closing is None:
        return "Aberta 24 horas"
    local, now = (moment.astimezone(words.zone) for moment in (closing, attendance.calculado_em))
    if local.date() == now.date():
        return f"Aberta até {format_time_of_day(f'{local:%H:%M}')}"
    clock = format_time_of_day(f"{local:%H:%M}")
    if clock == "meia-noite" and (local.date() - now.date()).days == 1:
        return "Aberta até meia-noite"
    return f"Aberta até {words.format_next_time(closing, attendance.calculado_em)}"


def describe_change(unit: Unit, words: Words) -> str | None:
    """Describe how the unit's service differs today, based on the department's effects (rules: health_units 3.1).

    Return None if the service is as usual.
    """
    effects = unit.risco_atual.efeitos
    since = unit.risco_atual.desde
    when = f" desde {words.format_since(since, unit.atendimento.calculado_em)}" if since else ""
    if unit.atendimento.situacao == "fechado_por_risco" or effects.atendimento_interno == "suspenso":
        return f"Sem atendimento{when}."
    if effects.atendimento_interno != "normal":
        return f"Atende só uma parte dos casos{when}. Ligue antes de ir."
    if effects.atividades_externas != "normal":
        return f"Atende na unidade. As visitas em casa estão suspensas{when}."
    return None


def is_emergency(unit: Unit) -> bool:
    """Return whether people can come to the unit in an emergency without an appointment."""
    return unit.tipo in EMERGENCY_KINDS
