"""The federal units of Brazil (rules: registry 3.8)."""

from balcao.registry.mirror.translation import without_accents

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


def _plain(text: str) -> str:
    return without_accents(text).casefold()


_CODES = {_plain(name): code for code, name in FEDERAL_UNITS.items()} | {_plain(code): code for code in FEDERAL_UNITS}


def code_of(text: str) -> str | None:
    """The code of the unit that the text names, by code or name, without regard to case and accents."""
    return _CODES.get(_plain(text))
