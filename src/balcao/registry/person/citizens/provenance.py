"""The source of each value in the merged record (rules: registry 4.15)."""

from collections.abc import Callable, Iterator, Mapping
from datetime import datetime
from typing import Any, NamedTuple

from balcao.core.values.cpf import Cpf
from balcao.registry.mirror.records import Mirror, MirroredField
from balcao.registry.person.citizens import choices
from balcao.registry.person.citizens.merge import Base, merge_record
from balcao.registry.person.citizens.schemas import Address, Citizen, CoveredValue, Phone, SourcedValue

CITY = "city"
NOTHING_DECLARED = Mirror(known=False, fields={}, wordings={})


class _Member(NamedTuple):
    """A member of the merged record.

    `format` returns its text. `choose` returns the mirrored field that supplies the member, or None if the base record
    supplies it.
    """

    name: str
    format: Callable[[Citizen], str | None]
    choose: Callable[[Mirror], str | None] = lambda _: None
    sensitive: bool = False


def _choose(field: str) -> Callable[[Mirror], str | None]:
    return lambda mirror: field if choices.find_mirrored_field(mirror, field) else None


def _choose_address(mirror: Mirror) -> str | None:
    fields = [field for field in choices.choose_address(mirror).values() if field]
    return max(fields, key=lambda field: mirror.fields[field].at, default=None)


def _format_phone(citizen: Citizen) -> str | None:
    phone: Phone | None = citizen.telefone.principal if citizen.telefone else None
    if phone is None:
        return None
    country = f"+{phone.ddi}" if phone.ddi else None
    return " ".join(filter(None, (country, phone.ddd, phone.valor)))


def _format_address(citizen: Citizen) -> str | None:
    address: Address | None = citizen.endereco.principal
    if address is None:
        return None
    street = " ".join(filter(None, (address.tipo_logradouro, address.logradouro)))
    parts = (
        street,
        address.numero,
        address.complemento,
        address.bairro,
        address.municipio,
        address.estado,
        address.cep,
    )
    return ", ".join(filter(None, parts))


def _format_birth(citizen: Citizen) -> str | None:
    return citizen.nascimento.data[:10] if citizen.nascimento and citizen.nascimento.data else None


_MEMBERS = (
    _Member("nome", lambda citizen: citizen.nome),
    _Member("nome_social", lambda citizen: citizen.nome_social),
    _Member("nome_exibicao", lambda citizen: citizen.nome_exibicao, _choose("nomeExibicao")),
    _Member("nascimento", _format_birth),
    _Member("mae", lambda citizen: citizen.mae.nome if citizen.mae else None),
    _Member(
        "email",
        lambda citizen: citizen.email.principal.valor if citizen.email.principal else None,
        _choose("email"),
    ),
    _Member("telefone", _format_phone, choices.choose_main_phone),
    _Member("endereco", _format_address, _choose_address),
    _Member("escolaridade", lambda citizen: citizen.escolaridade, _choose("escolaridade")),
    _Member("genero", lambda citizen: citizen.genero, _choose("genero"), sensitive=True),
    _Member("raca", lambda citizen: citizen.raca, _choose("raca"), sensitive=True),
    _Member("deficiencia", lambda citizen: citizen.deficiencia, _choose("deficiencia"), sensitive=True),
    _Member("renda_familiar", lambda citizen: citizen.renda_familiar, _choose("rendaFamiliar"), sensitive=True),
)


def list_field_sources(
    cpf: Cpf, base: Base | None, mirror: Mirror, origin: Mapping[str, Any] | None, *, with_sensitive: bool
) -> list[SourcedValue]:
    """Return each member with its source and time.

    `origin` contains the source and import time of the base record, or is None if there is no base record.
    """
    shown, covered = merge_record(cpf, base, mirror), merge_record(cpf, base, NOTHING_DECLARED)
    return list(_list(shown, covered, mirror, origin or {}, with_sensitive=with_sensitive))


def _list(
    shown: Citizen, covered: Citizen, mirror: Mirror, origin: Mapping[str, Any], *, with_sensitive: bool
) -> Iterator[SourcedValue]:
    for member in _MEMBERS:
        field = member.choose(mirror)
        decided = mirror.fields[field] if field else None
        value, hidden = member.format(shown), member.format(covered) if decided else None
        opened = with_sensitive or not member.sensitive
        yield SourcedValue(
            name=member.name,
            sensitive=member.sensitive,
            known=value is not None,
            value=value if opened else None,
            covered=CoveredValue(hidden, origin.get("source")) if opened and hidden and hidden != value else None,
            **_describe_source(decided, origin, is_known=value is not None),
        )


def _describe_source(decided: MirroredField | None, origin: Mapping[str, Any], *, is_known: bool) -> dict[str, Any]:
    if decided is not None:
        return {
            "origin": decided.origin,
            "source": None,
            "updated_at": decided.at,
            "confirmed_at": decided.confirmed_at,
        }
    loaded: datetime | None = origin.get("loaded_at") if is_known else None
    return {
        "origin": CITY if is_known else None,
        "source": origin.get("source") if is_known else None,
        "updated_at": loaded,
        "confirmed_at": None,
    }
