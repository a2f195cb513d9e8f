"""Portuguese terms for colours, states and reasons in the health units area."""

from typing import NamedTuple


class Color(NamedTuple):
    """The display of a risk colour: the `kind` of its tag, its symbol, and its rank from lowest to highest."""

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
# The kind, the text and the symbol of each situation's tag.
SITUATIONS = {
    "aberto": ("ok", "aberta", "check"),
    "fechado": ("", "fechada", "pause"),
    "fechado_por_risco": ("no", "fechada pelo risco", "x"),
    "desconhecido": ("at", "sem horário", "clock"),
}
CAUSES = {"normalizacao": "a situação se normalizou", "engano": "foi aberta por engano", "outro": "outro motivo"}
SCOPES = {"nacional": "Nacional", "estadual": "Estadual", "municipal": "Municipal"}
# Staff confirm an open notification regularly. Without a confirmation for this long, the board marks it as late.
LATE_MINUTES = 180


def shorten(name: str) -> str:
    """Abbreviate a unit's name for the map."""
    for short, long in TYPES.items():
        name = name.replace(long, short)
    return name


def describe_event(tipo: str, before: str | None, after: str, cause: str | None) -> str:
    """Describe an event of a notification."""
    match tipo:
        case "abertura":
            return f"aberta em {after.lower()}"
        case "mudanca":
            return f"de {(before or '').lower()} a {after.lower()}"
        case "confirmacao":
            return f"{after.lower()} confirmado"
        case _:
            return f"encerrada em {after.lower()}: {CAUSES.get(cause or '', 'sem causa')}"
