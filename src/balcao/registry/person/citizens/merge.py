"""Merge self-declared data over the base record (rules: registry 3.2).

If a mirrored field is null, the merged record shows the base value. An empty string means that the person has no value,
and hides the base value.
"""

from collections.abc import Iterable, Mapping
from decimal import Decimal
from typing import Any

import msgspec

from balcao.core.values.cpf import Cpf
from balcao.registry.mirror import translation
from balcao.registry.mirror.records import Mirror, MirroredField
from balcao.registry.person.citizens import choices
from balcao.registry.person.citizens.schemas import (
    Address,
    Addresses,
    Birth,
    Citizen,
    Death,
    Email,
    Emails,
    Mother,
    OtherAddress,
    OtherEmail,
    Phone,
    Phones,
)

_ORIGINS = {"crm": ("crm", "crm")}
SELF_DECLARED = "self-declared"
_DECLARED = (SELF_DECLARED, "registry")

_DEGREES = ("latitude", "longitude")

Base = Mapping[str, Any]


def merge_record(cpf: Cpf, base: Base | None, mirror: Mirror) -> Citizen:
    """Merge the mirror over the base record, which is None if the city has imported no record (rules: registry 3.2)."""
    known = base or {}
    return Citizen(
        id_=known.get("_id") or "",
        cpf=cpf.digits,
        nome=known.get("nome"),
        nome_social=known.get("nome_social"),
        sexo=known.get("sexo"),
        nascimento=msgspec.convert(known.get("nascimento"), Birth | None),
        mae=mask_mother(known.get("mae")),
        menor_idade=known.get("menor_idade"),
        obito=msgspec.convert(known.get("obito"), Death | None),
        nome_exibicao=_read_text(mirror, "nomeExibicao"),
        renda_familiar=_read_text(mirror, "rendaFamiliar"),
        escolaridade=_read_text(mirror, "escolaridade"),
        deficiencia=_read_text(mirror, "deficiencia"),
        genero=_read_gender(mirror),
        raca=_read_ethnicity(mirror, known),
        email=_merge_emails(mirror, known.get("email")),
        telefone=_merge_phones(mirror, known.get("telefone")),
        endereco=_merge_addresses(mirror, known.get("endereco")),
    )


def _read_text(mirror: Mirror, field: str) -> str | None:
    found = choices.find_mirrored_field(mirror, field)
    return str(found.value) if found else None


def mask_mother(mother: Mapping[str, Any] | None) -> Mother | None:
    """Return the mother. Her CPF is masked for every caller, because it belongs to another person."""
    if mother is None:
        return None
    cpf = Cpf.parse(mother.get("cpf"))
    return Mother(mother.get("nome"), cpf.masked if cpf else None)


def _read_gender(mirror: Mirror) -> str | None:
    found = _read_text(mirror, "genero")
    wording = mirror.wordings.get("genero")
    if wording is not None and wording.wire == found:
        return wording.value["valor"]
    return translation.format_gender(found) if found is not None else None


def _read_ethnicity(mirror: Mirror, base: Base) -> str | None:
    found = _read_text(mirror, "raca")
    return translation.format_ethnicity(found) if found is not None else base.get("raca")


def _name_sources(mirrored: MirroredField) -> tuple[str, str]:
    return _ORIGINS.get(mirrored.origin, _DECLARED)


def _get_main(base: Mapping[str, Any] | None) -> Any:
    return (base or {}).get("principal")


def _get_others(base: Mapping[str, Any] | None) -> Iterable[Mapping[str, Any]]:
    return (base or {}).get("alternativo") or ()


def _merge_emails(mirror: Mirror, base: Mapping[str, Any] | None) -> Emails:
    found = choices.find_mirrored_field(mirror, "email")
    if found is not None:
        main: Email | None = Email(*_name_sources(found), str(found.value), found.at)
    else:
        main = msgspec.convert(imported, Email) if (imported := _get_main(base)) else None
    others = msgspec.convert(_get_others(base), list[OtherEmail])
    return Emails(bool(main and main.valor), main, others)


def _merge_phones(mirror: Mirror, base: Mapping[str, Any] | None) -> Phones:
    field = choices.choose_main_phone(mirror)
    main = _read_declared_phone(mirror, field) if field else None
    if main is None and (imported := _get_main(base)):
        main = _read_base_phone(imported)
    declared = [_read_declared_phone(mirror, field) for field in choices.choose_other_phones(mirror)]
    return Phones(bool(main and main.valor), main, [*declared, *map(_read_base_phone, _get_others(base))])


def _read_declared_phone(mirror: Mirror, field: str) -> Phone:
    mirrored, read = mirror.fields[field], choices.parse_phone_choice(mirror, field)
    assert read is not None  # `choices` selects only phones that can be parsed
    return Phone(*_name_sources(mirrored), read.ddi, read.ddd, read.valor, mirrored.at)


def _read_base_phone(imported: Mapping[str, Any]) -> Phone:
    return Phone(
        imported["origem"], imported["sistema"], imported.get("ddi"), imported.get("ddd"), imported.get("valor")
    )


def _merge_addresses(mirror: Mirror, base: Mapping[str, Any] | None) -> Addresses:
    chosen = choices.choose_address(mirror)
    main = _read_declared_address(mirror, chosen) if chosen else None
    if main is None and (imported := _get_main(base)):
        main = msgspec.convert(imported, Address)
    others = [_read_other_address(imported) for imported in _get_others(base)]
    return Addresses(bool(main and main.logradouro), main, others)


def _read_other_address(imported: Mapping[str, Any]) -> OtherAddress:
    """Return the address with its coordinates as strings, because portals expect strings.

    The city may have imported numbers.
    """
    place = {name: format(Decimal(str(imported[name])), "f") for name in _DEGREES if imported.get(name) is not None}
    return msgspec.convert({**imported, **place}, OtherAddress)


def _read_declared_address(mirror: Mirror, chosen: Mapping[str, str | None]) -> Address:
    chosen_fields = {part: mirror.fields[field] for part, field in chosen.items() if field}
    newest = max(chosen_fields.values(), key=lambda mirrored: mirrored.at)
    origem, sistema = _name_sources(newest)
    texts = {part: str(chosen_fields[part].value) if part in chosen_fields else None for part in chosen}
    parts: dict[str, Any] = {**texts, **_read_typed_street(mirror, texts)}
    return Address(origem=origem, sistema=sistema, updated_at=newest.at, **parts)


def _read_typed_street(mirror: Mirror, texts: Mapping[str, str | None]) -> dict[str, str | None]:
    wording = mirror.wordings.get("endereco")
    if wording is None or wording.wire != texts["logradouro"]:
        return {}
    return {part: wording.value.get(part) for part in ("tipo_logradouro", "logradouro", "numero")}
