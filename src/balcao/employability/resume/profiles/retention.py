"""How long a resume is kept that nobody touches (rules: employability 5.4)."""

from balcao.core.audit.retention import Retention, Swept
from balcao.core.context.call import Call
from balcao.core.database.pool import Connection
from balcao.employability.resume.profiles import store


async def delete_untouched(call: Call, connection: Connection) -> Swept:
    """Delete the resumes that nobody has saved or applied with for years."""
    checked = await store.count(connection)
    return Swept(checked, await store.delete_untouched(connection, call.platform.settings.jobs_resume_months))


RETENTION = [Retention("resume", delete_untouched)]
