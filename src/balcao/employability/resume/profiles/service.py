"""The root of a resume. Every save locks the root, so saves of the same resume run one after the other."""

from balcao.core.database.pool import Connection
from balcao.core.values.cpf import Cpf
from balcao.employability.resume.profiles import store
from balcao.employability.texts import clean_prose

LONGEST_SUMMARY = 2000


async def save_summary(connection: Connection, cpf: Cpf, text: str) -> str:
    """Replace the summary of a locked resume, and return the stored text. Raises Invalid if the text is not valid."""
    summary = clean_prose("resumo_profissional", text, LONGEST_SUMMARY)
    await store.update_summary(connection, cpf, summary)
    return summary
