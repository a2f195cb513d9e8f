"""Validate a pet that a citizen adds (rules: registry 3.7)."""

from datetime import date, datetime
from zoneinfo import ZoneInfo

from balcao.core.errors import Invalid
from balcao.core.values import days
from balcao.core.values.addresses import is_https_address
from balcao.core.values.clock import format_rfc3339
from balcao.core.values.text import clean_optional, clean_text
from balcao.registry.person.pets.schemas import PetBody, PetRecord

NAME_LENGTH = 100
CHIP_LENGTH = 30
ADDRESS_LENGTH = 2048
SEXES = ("M", "F")
EARLIEST = date(1970, 1, 1)


def check_body(body: PetBody, now: datetime, zone: ZoneInfo) -> PetRecord:
    """Validate the body, and return the pet's record.

    Raises Invalid, with the member's name, if a member is not valid.
    """
    return PetRecord(
        animal_nome=clean_text("animal_nome", body.animal_nome, longest=NAME_LENGTH),
        especie_nome=clean_text("especie_nome", body.especie_nome, longest=NAME_LENGTH),
        raca_nome=clean_text("raca_nome", body.raca_nome, longest=NAME_LENGTH, shortest=0),
        porte_nome=clean_text("porte_nome", body.porte_nome, longest=NAME_LENGTH, shortest=0),
        sexo_sigla=_sex(body.sexo_sigla),
        nascimento_data=_birth(body.nascimento_data, now, zone),
        indicador_castrado=body.indicador_castrado,
        indicador_ativo=True,
        microchip_numero=clean_optional("microchip_numero", body.microchip_numero, longest=CHIP_LENGTH),
        pedigree_indicador=body.pedigree_indicador,
        pedigree_origem_nome=clean_optional("pedigree_origem_nome", body.pedigree_origem_nome, longest=NAME_LENGTH),
        foto_url=_photo(body.foto_url),
        registro_data=format_rfc3339(now),
        indicador=True,
    )


def _sex(text: str) -> str:
    if text not in SEXES:
        raise Invalid("O campo `sexo_sigla` deve ser `M` ou `F`.", code="sexo_sigla-invalid")
    return text


def _birth(text: str, now: datetime, zone: ZoneInfo) -> str:
    """Parse the birth date, and return it as a date or a timestamp, whichever was sent.

    Raises Invalid if the value is neither, or is not between 1970 and today.
    """
    try:
        found = days.parse_day(text)
    except ValueError as fault:
        raise Invalid(f"O campo `nascimento_data` {fault}.", code="nascimento_data-invalid") from None
    is_instant = isinstance(found, datetime)
    day = found.date() if isinstance(found, datetime) else found
    if day < EARLIEST or found > (now if is_instant else now.astimezone(zone).date()):
        raise Invalid("O campo `nascimento_data` deve ficar entre 1970 e hoje.", code="nascimento_data-range")
    return format_rfc3339(found) if isinstance(found, datetime) else found.isoformat()


def _photo(text: str | None) -> str | None:
    address = clean_optional("foto_url", text, longest=ADDRESS_LENGTH)
    if address and not is_https_address(address):
        raise Invalid("O campo `foto_url` deve ser um endereço que começa com https://.", code="foto_url-invalid")
    return address
