"""The read rule of this service, and the unit in a path."""

from typing import Annotated, TypeAlias

from balcao.core.access.rules import authenticated, scope
from balcao.core.errors import Fault, Unprocessable
from balcao.core.http.parameters import InPath
from balcao.core.values.cnes import PATTERN, Cnes

# Persons read; a machine needs the scope of the health secretariat.
READ = authenticated() | scope("sms:read")


def parse_cnes(text: str) -> Cnes:
    """Return the CNES of a path. Raises Unprocessable."""
    cnes = Cnes.parse(text)
    if cnes is None:
        item = Fault(loc=["path", "cnes"], msg="deve ter exatamente 7 dígitos", type="string_pattern_mismatch")
        raise Unprocessable("O CNES do caminho é inválido: use 7 dígitos.", code="cnes-invalid", faults=[item])
    return cnes


CnesInPath: TypeAlias = Annotated[Cnes, InPath(parse_cnes, "CNES da unidade: sete dígitos", "9900001", PATTERN)]
