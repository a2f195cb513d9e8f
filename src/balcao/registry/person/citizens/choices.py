"""Which registers the merged record shows: the one choice, for the record itself and for who asks what is effective."""

from collections.abc import Iterator, Mapping

from balcao.registry.mirror import translation
from balcao.registry.mirror.records import Mirror, MirroredField
from balcao.registry.mirror.translation import Phone

ALONE = ("nomeExibicao", "rendaFamiliar", "escolaridade", "deficiencia", "genero", "raca", "email")
_MAIN_PHONES = ("telefone1", "telefonePrincipal")
_OTHER_PHONES = ("telefone2", "telefone3")
# The declared address shows when one of these does; which register each part comes from, the newest of several.
_DECIDING = ("endereco.logradouro", "endereco.bairro", "endereco.cep")
_ADDRESS: Mapping[str, tuple[str, ...]] = {
    "cep": ("endereco.cep",),
    "estado": ("endereco.estado",),
    "bairro": ("endereco.bairro",),
    "logradouro": ("endereco.logradouro",),
    "municipio": ("endereco.cidade", "cidade"),
    "complemento": ("endereco.complemento", "complemento"),
}


def register(mirror: Mirror, field: str) -> MirroredField | None:
    """A register with a value; a cleared one counts as absent."""
    found = mirror.registers.get(field)
    return found if found is not None and found.value is not None else None


def newest(mirror: Mirror, *fields: str) -> str | None:
    """The register written last, the first named of equals; None when that one is cleared or none is there."""
    held = [field for field in fields if field in mirror.registers]
    found = max(held, key=lambda field: mirror.registers[field].at, default=None)
    return found if found is not None and register(mirror, found) is not None else None


def phone(mirror: Mirror, field: str) -> Phone | None:
    """What was typed while the register still holds it; None for what cannot be read as a phone."""
    text, wording = str(mirror.registers[field].value), mirror.wordings.get("telefone")
    if wording is not None and translation.same_digits(wording.wire, text):
        return Phone(wording.value["ddi"], wording.value["ddd"], wording.value["valor"])
    return translation.phone_shown(text)


def main_phone(mirror: Mirror) -> str | None:
    field = newest(mirror, *_MAIN_PHONES)
    return field if field is not None and phone(mirror, field) is not None else None


def other_phones(mirror: Mirror) -> list[str]:
    """Those that hold a number."""
    held = [field for field in _OTHER_PHONES if register(mirror, field)]
    return [field for field in held if (read := phone(mirror, field)) is not None and read.valor]


def address(mirror: Mirror) -> dict[str, str | None]:
    """By part of the address; empty when the base address shows, whole. Parts of two sources are never mixed."""
    if not any(register(mirror, field) for field in _DECIDING):
        return {}
    return {part: newest(mirror, *fields) for part, fields in _ADDRESS.items()}


def shown(mirror: Mirror) -> frozenset[str]:
    """Every register that the merged record shows."""
    return frozenset(_shown(mirror))


def _shown(mirror: Mirror) -> Iterator[str]:
    yield from (field for field in ALONE if register(mirror, field))
    yield from (field for field in (main_phone(mirror), *address(mirror).values()) if field)
    yield from other_phones(mirror)
