"""How this service declares its operations and reads its paths."""

import functools

from balcao.core.access.rules import authenticated, scope
from balcao.core.errors import Fault, Unprocessable
from balcao.core.http.dialects import DETAIL
from balcao.core.http.operations import operation as core_operation
from balcao.core.http.operations import path_text
from balcao.core.values.cnes import PATTERN, Cnes

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
