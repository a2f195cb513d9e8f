"""The merged record: self-declared data over the base record, without SQL and HTTP (rules: registry 3.2).

A register that is null lets the base show through; the empty text is an explicit "none" and hides the base.
"""

from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

from balcao.core.values.cpf import Cpf
from balcao.registry.mirror import translation
from balcao.registry.mirror.records import Mirror, MirroredField
from balcao.registry.person.citizens import choices
from balcao.registry.person.citizens.schemas import (
    Address,
    Addresses,
    Citizen,
    Email,
    Emails,
    OtherAddress,
    OtherEmail,
    Phone,
    Phones,
)

_ORIGINS = {"crm": ("crm", "crm")}
SELF_DECLARED = "self-declared"
_DECLARED = (SELF_DECLARED, "registry")

Base = Mapping[str, Any]


def merged(cpf: Cpf, base: Base | None, mirror: Mirror) -> Citizen:
    """`base` is None when the city has loaded no record."""
    known = base or {}
    return Citizen(
        id_=known.get("_id") or "",
        cpf=cpf.digits,
        nome=known.get("nome"),
        nome_social=known.get("nome_social"),
        sexo=known.get("sexo"),
        nascimento=known.get("nascimento"),
        mae=_mother(known.get("mae")),
        menor_idade=known.get("menor_idade"),
        obito=known.get("obito"),
        nome_exibicao=_text(mirror, "nomeExibicao"),
        renda_familiar=_text(mirror, "rendaFamiliar"),
        escolaridade=_text(mirror, "escolaridade"),
        deficiencia=_text(mirror, "deficiencia"),
        genero=_gender(mirror),
        raca=_ethnicity(mirror, known),
        email=_emails(mirror, known.get("email")),
        telefone=_phones(mirror, known.get("telefone")),
        endereco=_addresses(mirror, known.get("endereco")),
    )


def _text(mirror: Mirror, field: str) -> str | None:
    found = choices.register(mirror, field)
    return str(found.value) if found else None


def _mother(mother: Mapping[str, Any] | None) -> dict[str, Any] | None:
    if mother is None:
        return None
    cpf = Cpf.parse(mother.get("cpf"))
    return {"nome": mother.get("nome"), "cpf": cpf.masked if cpf else None}


def _gender(mirror: Mirror) -> str | None:
    found = _text(mirror, "genero")
    wording = mirror.wordings.get("genero")
    if wording is not None and wording.wire == found:
        return wording.value["valor"]
    return translation.gender_shown(found) if found is not None else None


def _ethnicity(mirror: Mirror, base: Base) -> str | None:
    found = _text(mirror, "raca")
    return translation.ethnicity_shown(found) if found is not None else base.get("raca")


def _sources(register: MirroredField) -> tuple[str, str]:
    return _ORIGINS.get(register.origin, _DECLARED)


def _base_main(base: Mapping[str, Any] | None) -> Any:
    return (base or {}).get("principal")


def _base_others(base: Mapping[str, Any] | None) -> Iterable[Mapping[str, Any]]:
    return (base or {}).get("alternativo") or ()


def _emails(mirror: Mirror, base: Mapping[str, Any] | None) -> Emails:
    found = choices.register(mirror, "email")
    if found is not None:
        main: Email | None = Email(*_sources(found), str(found.value), found.at)
    else:
        main = msgspec.convert(loaded, Email) if (loaded := _base_main(base)) else None
    others = msgspec.convert(_base_others(base), list[OtherEmail])
    return Emails(bool(main and main.valor), main, others)


def _phones(mirror: Mirror, base: Mapping[str, Any] | None) -> Phones:
    field = choices.main_phone(mirror)
    main = _declared_phone(mirror, field) if field else None
    if main is None and (loaded := _base_main(base)):
        main = _phone(loaded)
    declared = [_declared_phone(mirror, field) for field in choices.other_phones(mirror)]
    return Phones(bool(main and main.valor), main, [*declared, *map(_phone, _base_others(base))])


def _declared_phone(mirror: Mirror, field: str) -> Phone:
    register, read = mirror.registers[field], choices.phone(mirror, field)
    assert read is not None  # only a register that can be read is chosen
    return Phone(*_sources(register), read.ddi, read.ddd, read.valor, register.at)


def _phone(loaded: Mapping[str, Any]) -> Phone:
    return Phone(loaded["origem"], loaded["sistema"], loaded.get("ddi"), loaded.get("ddd"), loaded.get("valor"))


def _addresses(mirror: Mirror, base: Mapping[str, Any] | None) -> Addresses:
    chosen = choices.address(mirror)
    main = _declared_address(mirror, chosen) if chosen else None
    if main is None and (loaded := _base_main(base)):
        main = msgspec.convert(loaded, Address)
    others = msgspec.convert(_base_others(base), list[OtherAddress])
    return Addresses(bool(main and main.logradouro), main, others)


def _declared_address(mirror: Mirror, chosen: Mapping[str, str | None]) -> Address:
    registers = {part: mirror.registers[field] for part, field in chosen.items() if field}
    newest = max(registers.values(), key=lambda register: register.at)
    origem, sistema = _sources(newest)
    texts = {part: str(registers[part].value) if part in registers else None for part in chosen}
    parts: dict[str, Any] = {**texts, **_typed_street(mirror, texts)}
    return Address(origem=origem, sistema=sistema, updated_at=newest.at, **parts)


def _typed_street(mirror: Mirror, texts: Mapping[str, str | None]) -> dict[str, str | None]:
    wording = mirror.wordings.get("endereco")
    if wording is None or wording.wire != texts["logradouro"]:
        return {}
    return {part: wording.value.get(part) for part in ("tipo_logradouro", "logradouro", "numero")}
