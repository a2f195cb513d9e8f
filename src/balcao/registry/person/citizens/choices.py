"""The mirrored fields that the merged record shows.

Both the merged record and the operators' view of the mirror use this module.
"""

from collections.abc import Mapping

from balcao.core.values import phones
from balcao.registry.mirror import translation
from balcao.registry.mirror.records import Mirror, MirroredField

SINGLE_FIELDS = ("nomeExibicao", "rendaFamiliar", "escolaridade", "deficiencia", "genero", "raca", "email")
_MAIN_PHONES = ("telefone1", "telefonePrincipal")
_OTHER_PHONES = ("telefone2", "telefone3")
# The declared address applies if one of `_DECIDING` has a value. `_ADDRESS` lists the mirrored fields for each part of
# the address. If a part has several fields, the most recent one counts.
_DECIDING = ("endereco.logradouro", "endereco.bairro", "endereco.cep")
_ADDRESS: Mapping[str, tuple[str, ...]] = {
    "cep": ("endereco.cep",),
    "estado": ("endereco.estado",),
    "bairro": ("endereco.bairro",),
    "logradouro": ("endereco.logradouro",),
    "municipio": ("endereco.cidade", "cidade"),
    "complemento": ("endereco.complemento", "complemento"),
}


def find_mirrored_field(mirror: Mirror, field: str) -> MirroredField | None:
    """Return the field's entry, or None if the field is absent or cleared."""
    found = mirror.fields.get(field)
    return found if found is not None and found.value is not None else None


def find_newest(mirror: Mirror, *fields: str) -> str | None:
    """Return the most recent of these fields.

    Return None if that field is cleared, or if none of the fields exists. If times are equal, the field listed first
    wins.
    """
    present = [field for field in fields if field in mirror.fields]
    found = max(present, key=lambda field: mirror.fields[field].latest_at, default=None)
    return found if found is not None and find_mirrored_field(mirror, found) is not None else None


def parse_phone_choice(mirror: Mirror, field: str) -> phones.Phone | None:
    """Return the phone as the person typed it if the field still contains that number.

    Otherwise, parse the field's text, and return None if it is not a phone number.
    """
    text, wording = str(mirror.fields[field].value), mirror.wordings.get("telefone")
    if wording is not None and translation.has_same_digits(wording.wire, text):
        return phones.Phone(wording.value["ddi"], wording.value["ddd"], wording.value["valor"])
    return phones.parse_phone(text)


def choose_main_phone(mirror: Mirror) -> str | None:
    field = find_newest(mirror, *_MAIN_PHONES)
    return field if field is not None and parse_phone_choice(mirror, field) is not None else None


def choose_other_phones(mirror: Mirror) -> list[str]:
    """Return the phone fields other than the main one that have a number."""
    present = [field for field in _OTHER_PHONES if find_mirrored_field(mirror, field)]
    return [field for field in present if (read := parse_phone_choice(mirror, field)) is not None and read.valor]


def choose_address(mirror: Mirror) -> dict[str, str | None]:
    """Return the mirrored field of each address part, or an empty dict if the base address applies.

    The parts of the two addresses are never mixed.
    """
    if not any(find_mirrored_field(mirror, field) for field in _DECIDING):
        return {}
    return {part: find_newest(mirror, *fields) for part, fields in _ADDRESS.items()}


def list_chosen(mirror: Mirror) -> frozenset[str]:
    """Return every mirrored field that the merged record shows."""
    single = [field for field in SINGLE_FIELDS if find_mirrored_field(mirror, field)]
    composed = [field for field in (choose_main_phone(mirror), *choose_address(mirror).values()) if field]
    return frozenset([*single, *composed, *choose_other_phones(mirror)])
