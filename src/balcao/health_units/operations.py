"""How this service declares its operations and reads its paths."""

import functools

from balcao.core.cnes import PATTERN, Cnes
from balcao.core.dialects import DETAIL
from balcao.core.errors import Fault, Unprocessable
from balcao.core.operations import operation as core_operation
from balcao.core.operations import path_text
from balcao.core.rules import authenticated, scope

operation = functools.partial(core_operation, dialect=DETAIL)

# Persons read; a machine needs the scope of the health secretariat.
READ = authenticated() | scope("sms:read")

CnesInPath = path_text(PATTERN, "CNES da unidade: sete dígitos", "9900001")


def path_cnes(text: str) -> Cnes:
    """Raises Unprocessable."""
    cnes = Cnes.parse(text)
    if cnes is None:
        item = Fault(loc=["path", "cnes"], msg="deve ter exatamente 7 dígitos", type="string_pattern_mismatch")
        raise Unprocessable("O CNES do caminho é inválido: use 7 dígitos.", code="cnes-invalid", faults=[item])
    return cnes
