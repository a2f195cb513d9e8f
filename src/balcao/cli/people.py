"""The CPF as an argument of commands about a citizen."""

from typing import TYPE_CHECKING, Annotated

import typer

from balcao.operate.faults import OperatorFault

if TYPE_CHECKING:
    from balcao.core.values.cpf import Cpf

CpfArgument = Annotated[str, typer.Argument(metavar="CPF", help="11 dígitos, com ou sem pontuação.")]


def parse_cpf(text: str, refusal: str = "O CPF é inválido: use 11 dígitos.") -> "Cpf":
    """Parse a CPF. If it is invalid, raises OperatorFault with the text `refusal`, which must not quote the input."""
    from balcao.core.values.cpf import Cpf

    cpf = Cpf.parse_path(text)
    if cpf is None:
        raise OperatorFault(refusal)
    return cpf
