"""Formats the cost and the deadline of a service in Portuguese: "R$ 35,20", "Até 5 dias úteis" (rules: search 3.8)."""

from collections.abc import Mapping

FREE = "gratis"
# The units of a deadline, in the singular and in the plural. A service without waiting time has the unit `IMMEDIATE`.
IMMEDIATE = "imediato"
UNITS: Mapping[str, tuple[str, str]] = {
    "minutos": ("minuto", "minutos"),
    "horas": ("hora", "horas"),
    "dias": ("dia", "dias"),
    "dias_uteis": ("dia útil", "dias úteis"),
    "semanas": ("semana", "semanas"),
    "meses": ("mês", "meses"),
}


def format_cents(cents: int) -> str:
    """Format an amount in reais: "R$ 1.820,00"."""
    reais = f"{cents // 100:,}".replace(",", ".")
    return f"R$ {reais},{cents % 100:02}"


def describe_cost(kind: str, cents: int | None, most_cents: int | None) -> str:
    """Describe a cost. Return an empty string for a kind that this release does not know, or if an amount is missing.

    `most_cents` is the upper end of a range.
    """
    if kind == FREE:
        return "Gratuito"
    if kind == "variavel":
        return "Varia conforme o caso"
    if cents is None:
        return ""
    if kind == "fixo":
        return format_cents(cents)
    if kind == "a_partir_de":
        return f"A partir de {format_cents(cents)}"
    if kind == "faixa" and most_cents is not None:
        return f"De {format_cents(cents)} a {format_cents(most_cents)}" if cents else f"Até {format_cents(most_cents)}"
    return ""


def describe_deadline(unit: str, number: int | None) -> str:
    """Describe a deadline. Return an empty string for a unit that this release does not know."""
    if unit == IMMEDIATE:
        return "Na hora"
    if number is None or unit not in UNITS:
        return ""
    return f"Até {number} {UNITS[unit][number != 1]}"
