"""The federal units of Brazil (rules: registry 3.8)."""

from balcao.registry.mirror.translation import strip_accents

FEDERAL_UNITS = {
    "AC": "Acre",
    "AL": "Alagoas",
    "AP": "Amapá",
    "AM": "Amazonas",
    "BA": "Bahia",
    "CE": "Ceará",
    "DF": "Distrito Federal",
    "ES": "Espírito Santo",
    "GO": "Goiás",
    "MA": "Maranhão",
    "MT": "Mato Grosso",
    "MS": "Mato Grosso do Sul",
    "MG": "Minas Gerais",
    "PA": "Pará",
    "PB": "Paraíba",
    "PR": "Paraná",
    "PE": "Pernambuco",
    "PI": "Piauí",
    "RJ": "Rio de Janeiro",
    "RN": "Rio Grande do Norte",
    "RS": "Rio Grande do Sul",
    "RO": "Rondônia",
    "RR": "Roraima",
    "SC": "Santa Catarina",
    "SP": "São Paulo",
    "SE": "Sergipe",
    "TO": "Tocantins",
}


def _normalize(text: str) -> str:
    return strip_accents(text).casefold()


_CODES = {_normalize(name): code for code, name in FEDERAL_UNITS.items()} | {
    _normalize(code): code for code in FEDERAL_UNITS
}


def find_code(text: str) -> str | None:
    """Return the code of the federal unit with this code or name, or None. Case and accents are ignored."""
    return _CODES.get(_normalize(text))
