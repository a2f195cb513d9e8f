"""Portuguese terms for colours, states and reasons in the health units area."""

from typing import NamedTuple


class Color(NamedTuple):
    """How pages show a risk colour: the `kind` of its tag, its symbol, and its rank (0 is the lowest risk)."""

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
# The kind, text and symbol of the tag for each situation.
SITUATIONS = {
    "aberto": ("ok", "aberta", "check"),
    "fechado": ("", "fechada", "pause"),
    "fechado_por_risco": ("no", "fechada pelo risco", "x"),
    "desconhecido": ("at", "sem horário", "clock"),
}
CAUSES = {"normalizacao": "a situação se normalizou", "engano": "foi aberta por engano", "outro": "outro motivo"}
SCOPES = {"nacional": "Nacional", "estadual": "Estadual", "municipal": "Municipal"}
# Staff confirm open notifications regularly. The board marks a notification as late after this time without a
# confirmation.
LATE_MINUTES = 180


def shorten(name: str) -> str:
    """Abbreviate a unit's name for the map."""
    for short, long in TYPES.items():
        name = name.replace(long, short)
    return name


def describe_event(tipo: str, before: str | None, after: str, cause: str | None) -> str:
    """Describe an event in a notification's history."""
    match tipo:
        case "abertura":
            return f"aberta em {after.lower()}"
        case "mudanca":
            return f"de {(before or '').lower()} a {after.lower()}"
        case "confirmacao":
            return f"{after.lower()} confirmado"
        case _:
            return f"encerrada em {after.lower()}: {CAUSES.get(cause or '', 'sem causa')}"
