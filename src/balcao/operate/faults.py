"""Errors for the operator: one sentence on standard error, and a non-zero exit status."""

import errno
import os
import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

# EX_SOFTWARE of sysexits.h, the status for an error in the program itself.
INTERNAL_ERROR = 70
_NOT_ALLOWED = frozenset({errno.EACCES, errno.EPERM, errno.EROFS})


class OperatorFault(Exception):
    """A command cannot do its task. The message tells the operator the reason and the remedy."""


def explain_fault(fault: BaseException) -> str | None:
    """Return the sentence for the operator.

    Return None for a defect of the program or a group of several exceptions.
    """
    if isinstance(fault, OperatorFault):
        return str(fault)
    if isinstance(fault, BaseExceptionGroup) and len(fault.exceptions) == 1:
        return explain_fault(fault.exceptions[0])
    return _explain_fault_of_platform(fault)


def _explain_fault_of_platform(fault: BaseException) -> str | None:
    """Explain exceptions from the platform's modules.

    Modules are imported here, so that a successful command does not load a database driver.
    """
    from balcao.core.database import refusals
    from balcao.core.database.migrations import MigrationError
    from balcao.core.database.roles import RoleError
    from balcao.gateway.serving import StartFailed
    from balcao.operate.postgresql.accounts import PostgresqlError
    from balcao.settings import SettingsError

    if isinstance(fault, StartFailed) and fault.__cause__ is not None:
        return explain_fault(fault.__cause__)
    if isinstance(fault, (SettingsError, PostgresqlError, MigrationError, RoleError)):
        return str(fault)
    return refusals.describe_refusal(fault) or (explain_file(fault) if isinstance(fault, OSError) else None)


def explain_file(fault: OSError) -> str | None:
    """Explain why a file or folder cannot be used, or that the disk is full.

    Return None for any other exception that does not name a file.
    """
    if fault.errno == errno.ENOSPC:
        return "O disco está cheio: libere espaço e repita."
    if fault.filename is None:
        return None
    if fault.errno in _NOT_ALLOWED:
        return f"Sem permissão para usar {fault.filename}: confira de que usuário é, ou execute como ele."
    if fault.errno == errno.ENOENT:
        return f"{fault.filename} não existe: confira o caminho."
    if fault.errno == errno.EISDIR:
        return f"{fault.filename} é uma pasta: indique um arquivo."
    return f"Não é possível usar {fault.filename}: {fault.strerror}."


def describe_fault(fault: BaseException) -> str:
    """Return the sentence about a defect of the program, with the exception's type and location.

    The exception's own message is left out, because it may quote a row or a request body.
    """
    places = traceback.extract_tb(fault.__traceback__)
    place = f" em {Path(places[-1].filename).name}:{places[-1].lineno}" if places else ""
    return (
        f"O programa teve uma falha inesperada ({type(fault).__name__}{place}). É um defeito nosso: repita com "
        "BALCAO_LOG_LEVEL=debug, que mostra onde, e avise-nos."
    )


@contextmanager
def explained() -> Iterator[None]:
    """Print a sentence about an exception in the block, and exit.

    Every command runs in this block. For a defect of the program, there is a separate exit status. With
    `BALCAO_LOG_LEVEL=debug`, its exception is raised instead, with the traceback.
    """
    try:
        yield
    except Exception as fault:
        text = explain_fault(fault)
        if text is None and os.environ.get("BALCAO_LOG_LEVEL") == "debug":
            raise
        print(text or describe_fault(fault), file=sys.stderr)
        sys.exit(INTERNAL_ERROR if text is None else 1)


@contextmanager
def writing_to(folder: object) -> Iterator[None]:
    """Raise OperatorFault, with an explanation, if the block cannot write to the folder that the operator chose."""
    try:
        yield
    except OSError as fault:
        if fault.errno == errno.ENOSPC:
            raise OperatorFault(
                f"O disco está cheio: não é possível gravar na pasta {folder}. Libere espaço."
            ) from fault
        raise OperatorFault(
            f"Não é possível gravar na pasta {folder}: {fault.strerror}. Confira as permissões, ou indique outra pasta."
        ) from fault
