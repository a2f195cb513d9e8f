"""Faults that the operator can mend: printed in one sentence to standard error with a non-zero exit, no traceback."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager


class OperatorFault(Exception):
    """A command cannot do what it is asked to; the text says why and what to do."""


def explain(fault: BaseException) -> str | None:
    """Return the sentence for the operator; None for a fault of ours, or a group of several faults."""
    if isinstance(fault, OperatorFault):
        return str(fault)
    if isinstance(fault, BaseExceptionGroup) and len(fault.exceptions) == 1:
        return explain(fault.exceptions[0])
    return _explain_fault_of_platform(fault)


def _explain_fault_of_platform(fault: BaseException) -> str | None:
    """Explain faults of the platform's modules, imported late: a command that succeeds need not load the driver."""
    from balcao.core.database import refusals
    from balcao.core.database.migrations import MigrationError
    from balcao.core.database.roles import RoleError
    from balcao.core.embedded.supervisor import EmbeddedError
    from balcao.settings import SettingsError

    if isinstance(fault, (SettingsError, EmbeddedError, MigrationError, RoleError)):
        return str(fault)
    return refusals.refusal(fault)


@contextmanager
def explained() -> Iterator[None]:
    """Turn a fault that the operator can mend into a sentence and an exit status; wraps every command."""
    try:
        yield
    except Exception as fault:
        text = explain(fault)
        if text is None:
            raise
        print(text, file=sys.stderr)
        sys.exit(1)


@contextmanager
def writing_to(folder: object) -> Iterator[None]:
    """Explain a failure to write into a folder of the operator's choice."""
    try:
        yield
    except OSError as fault:
        raise OperatorFault(
            f"Não é possível gravar na pasta {folder}: {fault.strerror}. Confira as permissões, ou indique outra pasta."
        ) from fault
