"""The merged record: self-declared data over the base record, without SQL and HTTP (registry document, 3.2).

A register that is null lets the base show through; the empty text is an explicit "none" and hides the base.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from balcao.core.cpf import Cpf
from balcao.registry.citizens.schemas import Address, Addresses, Citizen, Email, Emails, Phone, Phones
from balcao.registry.mirror import translation
from balcao.registry.mirror.store import Mirror, Register

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


def _register(mirror: Mirror, field: str) -> Register | None:
    """A register with a value; a cleared one counts as absent."""
    found = mirror.registers.get(field)
    return found if found is not None and found.value is not None else None


def _newest(mirror: Mirror, *fields: str) -> Register | None:
    """The register written last, the first named of equals; None when that one is cleared or none is there."""
    held = [mirror.registers[field] for field in fields if field in mirror.registers]
    newest = max(held, key=lambda register: register.at, default=None)
    return newest if newest is not None and newest.value is not None else None


def _text(mirror: Mirror, field: str) -> str | None:
    found = _register(mirror, field)
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


def _sources(register: Register) -> tuple[str, str]:
    return _ORIGINS.get(register.origin, _DECLARED)


def _base_main(base: Mapping[str, Any] | None) -> Any:
    return (base or {}).get("principal")


def _base_others(base: Mapping[str, Any] | None) -> Iterable[Mapping[str, Any]]:
    return (base or {}).get("alternativo") or ()


def _emails(mirror: Mirror, base: Mapping[str, Any] | None) -> Emails:
    found = _register(mirror, "email")
    if found is not None:
        main: Email | None = Email(*_sources(found), str(found.value), found.at)
    else:
        main = _email(loaded) if (loaded := _base_main(base)) else None
    return Emails(bool(main and main.valor), main, [_email(loaded) for loaded in _base_others(base)])


def _email(loaded: Mapping[str, Any]) -> Email:
    return Email(loaded["origem"], loaded["sistema"], loaded["valor"])


def _phones(mirror: Mirror, base: Mapping[str, Any] | None) -> Phones:
    main = _declared_phone(mirror, _newest(mirror, "telefone1", "telefonePrincipal"))
    if main is None and (loaded := _base_main(base)):
        main = _phone(loaded)
    others = [_declared_phone(mirror, _register(mirror, field)) for field in ("telefone2", "telefone3")]
    declared = [phone for phone in others if phone is not None and phone.valor]
    return Phones(bool(main and main.valor), main, [*declared, *map(_phone, _base_others(base))])


def _declared_phone(mirror: Mirror, register: Register | None) -> Phone | None:
    """None when there is none or it cannot be read as a phone."""
    if register is None:
        return None
    text, wording = str(register.value), mirror.wordings.get("telefone")
    if wording is not None and translation.same_digits(wording.wire, text):
        typed = wording.value
        return Phone(*_sources(register), typed["ddi"], typed["ddd"], typed["valor"], register.at)
    shown = translation.phone_shown(text)
    return Phone(*_sources(register), shown.ddi, shown.ddd, shown.valor, register.at) if shown else None


def _phone(loaded: Mapping[str, Any]) -> Phone:
    return Phone(loaded["origem"], loaded["sistema"], loaded.get("ddi"), loaded.get("ddd"), loaded.get("valor"))


_DECIDING = ("endereco.logradouro", "endereco.bairro", "endereco.cep")
_PLAIN_PARTS = ("cep", "estado", "bairro")


def _addresses(mirror: Mirror, base: Mapping[str, Any] | None) -> Addresses:
    """Parts of two sources are never mixed: the declared address shows whole, or the base address."""
    main = _declared_address(mirror) if any(_register(mirror, field) for field in _DECIDING) else None
    if main is None and (loaded := _base_main(base)):
        main = _address(loaded)
    return Addresses(bool(main and main.logradouro), main, [_address(loaded) for loaded in _base_others(base)])


def _declared_address(mirror: Mirror) -> Address:
    registers = {
        **{part: _register(mirror, f"endereco.{part}") for part in (*_PLAIN_PARTS, "logradouro")},
        "municipio": _newest(mirror, "endereco.cidade", "cidade"),
        "complemento": _newest(mirror, "endereco.complemento", "complemento"),
    }
    held = [register for register in registers.values() if register is not None]
    newest = max(held, key=lambda register: register.at)
    origem, sistema = _sources(newest)
    texts = {part: str(register.value) if register else None for part, register in registers.items()}
    parts: dict[str, Any] = {**texts, **_typed_street(mirror, texts)}
    return Address(origem=origem, sistema=sistema, updated_at=newest.at, **parts)


def _typed_street(mirror: Mirror, texts: Mapping[str, str | None]) -> dict[str, str | None]:
    wording = mirror.wordings.get("endereco")
    if wording is None or wording.wire != texts["logradouro"]:
        return {}
    return {part: wording.value.get(part) for part in ("tipo_logradouro", "logradouro", "numero")}


def _address(loaded: Mapping[str, Any]) -> Address:
    members: dict[str, Any] = {name: loaded.get(name) for name in Address.__struct_fields__ if name != "updated_at"}
    return Address(**members)
