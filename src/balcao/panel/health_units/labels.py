"""Colours, states and reasons of the health units in words."""

from typing import NamedTuple


class Color(NamedTuple):
    """How a colour of risk is shown: `kind` of the tag, symbol, and its place in the rising order."""

    kind: str
    symbol: str
    rank: int


COLORS = {
    "Verde": Color("ok", "green", 0),
    "Amarelo": Color("at", "yellow", 1),
    "Laranja": Color("or", "orange", 2),
    "Vermelho": Color("no", "red", 3),
}
TYPES = {
    "CF": "Clínica da Família",
    "CMS": "Centro Municipal de Saúde",
    "UPA": "UPA",
    "HOSPITAL": "Hospital",
    "OUTRO": "Outro",
}
# Kind of the tag, word, symbol.
SITUATIONS = {
    "aberto": ("ok", "aberta", "check"),
    "fechado": ("", "fechada", "pause"),
    "fechado_por_risco": ("no", "fechada pelo risco", "x"),
    "desconhecido": ("at", "sem horário", "clock"),
}
CAUSES = {"normalizacao": "a situação se normalizou", "engano": "foi aberta por engano", "outro": "outro motivo"}
SCOPES = {"nacional": "Nacional", "estadual": "Estadual", "municipal": "Municipal"}
# Who opened a notification confirms it while it lasts: beyond this it is marked.
LATE_MINUTES = 180


def shorten(name: str) -> str:
    """Return a unit's name as a map has room for."""
    for short, long in TYPES.items():
        name = name.replace(long, short)
    return name


def describe_event(tipo: str, before: str | None, after: str, cause: str | None) -> str:
    """Return what happened to a notification."""
    match tipo:
        case "abertura":
            return f"aberta em {after.lower()}"
        case "mudanca":
            return f"de {(before or '').lower()} a {after.lower()}"
        case "confirmacao":
            return f"{after.lower()} confirmado"
        case _:
            return f"encerrada em {after.lower()}: {CAUSES.get(cause or '', 'sem causa')}"
