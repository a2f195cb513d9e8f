"""The resume's root: every save of a resume passes through it, one after the other for each citizen."""

from balcao.core.database.pool import Connection
from balcao.core.values.cpf import Cpf
from balcao.employability.resume.profiles import store
from balcao.employability.texts import clean_prose

LONGEST_SUMMARY = 2000


async def open_resume(connection: Connection, cpf: Cpf) -> None:
    """Create the root when it is missing and lock it until the transaction ends (rules: employability 5.2)."""
    await store.touch_resume(connection, cpf)


async def save_summary(connection: Connection, cpf: Cpf, text: str) -> str:
    """Replace it under the lock of the root and return it as stored. Raises Invalid."""
    summary = clean_prose("resumo_profissional", text, LONGEST_SUMMARY)
    await store.update_summary(connection, cpf, summary)
    return summary


async def erase_resume(connection: Connection, cpf: Cpf) -> int:
    """Delete the root with all that hangs on it, and return how many there were."""
    return await store.delete_resume(connection, cpf)
