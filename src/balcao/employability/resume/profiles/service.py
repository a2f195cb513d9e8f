"""The resume's root: every save of a resume passes through it, one after the other for each citizen."""

from balcao.core.database.pool import Connection
from balcao.core.values.cpf import Cpf
from balcao.employability.resume.profiles import store
from balcao.employability.texts import clean_prose

LONGEST_SUMMARY = 2000


async def save_summary(connection: Connection, cpf: Cpf, text: str) -> str:
    """Replace it under the lock of the root and return it as stored. Raises Invalid."""
    summary = clean_prose("resumo_profissional", text, LONGEST_SUMMARY)
    await store.update_summary(connection, cpf, summary)
    return summary
