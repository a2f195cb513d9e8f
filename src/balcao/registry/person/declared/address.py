"""A declared address: validate it, convert it for the CRM, and compare it with the current address."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Self

from balcao.core.errors import Invalid
from balcao.core.values.text import clean_text
from balcao.registry.mirror.fields import ADDRESS_PARTS, address_field
from balcao.registry.mirror.writes import Value
from balcao.registry.person.citizens.schemas import Address
from balcao.registry.person.declared.federal_units import find_code
from balcao.registry.person.declared.schemas import AddressBody

COUNTRY = "Brasil"
UNKNOWN = "Não informado"
REMOVED = "null"
# Other mirrored fields that can supply the same member of the merged record.
RELATED_FIELDS = ("cidade", "complemento")
REMOVAL: Mapping[str, Value] = dict.fromkeys(map(address_field, ADDRESS_PARTS), "")
_CEP = re.compile(r"([0-9]{5})-?([0-9]{3})")


def is_removal(body: AddressBody) -> bool:
    """Return whether all required members are the string `null`, which is how portals ask to remove the address."""
    required = (body.logradouro, body.numero, body.municipio, body.estado, body.bairro, body.cep)
    return all(text.strip() == REMOVED for text in required)


@dataclass(frozen=True)
class DeclaredAddress:
    """A normalised address. `cep` is None if it is unknown. Omitted optional members are ""."""

    tipo_logradouro: str
    logradouro: str
    numero: str
    complemento: str
    bairro: str
    municipio: str
    estado: str
    cep: str | None

    @classmethod
    def parse(cls, body: AddressBody) -> Self:
        """Normalise the body. Raises Invalid, with the member's name, if a member is not valid."""
        return cls(
            tipo_logradouro=clean_text("tipo_logradouro", body.tipo_logradouro or "", shortest=0, longest=50),
            logradouro=clean_text("logradouro", body.logradouro, longest=200),
            numero=clean_text("numero", body.numero, longest=20),
            complemento=clean_text("complemento", body.complemento or "", shortest=0, longest=100),
            bairro=clean_text("bairro", body.bairro, shortest=0, longest=100),
            municipio=clean_text("municipio", body.municipio, longest=100),
            estado=find_code(state := clean_text("estado", body.estado, longest=50)) or state,
            cep=_parse_cep(clean_text("cep", body.cep, shortest=0, longest=20)),
        )

    @property
    def line(self) -> str:
        """The street and the number on one line, as the CRM stores them."""
        return " ".join(filter(None, (self.tipo_logradouro, f"{self.logradouro}, {self.numero}")))

    @property
    def typed(self) -> Mapping[str, str]:
        """The parts that `line` combines."""
        return {"tipo_logradouro": self.tipo_logradouro, "logradouro": self.logradouro, "numero": self.numero}

    @property
    def fields(self) -> Mapping[str, Value]:
        parts = {
            "bairro": self.bairro,
            "cep": self.cep,
            "cidade": self.municipio,
            "complemento": self.complemento,
            "estado": self.estado,
            "logradouro": self.line,
            "pais": COUNTRY,
        }
        return {address_field(part): value for part, value in parts.items()}

    def is_same_as(self, current: Address) -> bool:
        return self == DeclaredAddress(
            tipo_logradouro=current.tipo_logradouro or "",
            logradouro=current.logradouro or "",
            numero=current.numero or "",
            complemento=current.complemento or "",
            bairro=current.bairro or "",
            municipio=current.municipio or "",
            estado=current.estado or "",
            cep=current.cep,
        )


def _parse_cep(text: str) -> str | None:
    if text in ("", UNKNOWN):
        return None
    found = _CEP.fullmatch(text)
    if found is None:
        raise Invalid(f"O campo `cep` deve ter 8 dígitos, ou ser vazio ou `{UNKNOWN}`.", code="cep-invalid")
    return "".join(found.groups())
