"""Faults of the operator's: said in one sentence on standard error, with a non-zero exit, never as a traceback."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager


class OperatorFault(Exception):
    """A command cannot do what it is asked to; the text says why and what to do."""


def sentence(fault: BaseException) -> str | None:
    """Return what to tell the operator; None for a fault of ours, or of a group of several faults."""
    if isinstance(fault, OperatorFault):
        return str(fault)
    if isinstance(fault, BaseExceptionGroup) and len(fault.exceptions) == 1:
        return sentence(fault.exceptions[0])
    return _sentence_of_the_platform(fault)


def _sentence_of_the_platform(fault: BaseException) -> str | None:
    """Imports late: a command that succeeds need not load the database driver to know what its failures look like."""
    from balcao.core.database import pool
    from balcao.core.database.migrations import MigrationError
    from balcao.core.embedded.supervisor import EmbeddedError
    from balcao.settings import SettingsError

    if isinstance(fault, (SettingsError, EmbeddedError, MigrationError)):
        return str(fault)
    return pool.refusal(fault)


@contextmanager
def told() -> Iterator[None]:
    """Turn a fault of the operator's into a sentence and an exit status. Goes around every command."""
    try:
        yield
    except Exception as fault:
        text = sentence(fault)
        if text is None:
            raise
        print(text, file=sys.stderr)
        sys.exit(1)


@contextmanager
def needing_folder(folder: object) -> Iterator[None]:
    """Explain a failure to write into a folder of the operator's choice."""
    try:
        yield
    except OSError as fault:
        raise OperatorFault(
            f"Não é possível gravar na pasta {folder}: {fault.strerror}. Confira as permissões, ou indique outra pasta."
        ) from fault
