"""The root of a resume, to which all other parts refer."""

from balcao.core.audit.personal_data import PersonalData
from balcao.core.audit.retention import Retention, RetentionCount
from balcao.core.context.call import Call
from balcao.core.database.pool import Connection
from balcao.core.exports.declaration import Exports
from balcao.core.feature import Feature
from balcao.employability.resume.profiles import store


async def delete_untouched(call: Call, connection: Connection) -> RetentionCount:
    """Delete the resumes that were neither saved nor used for an application within the configured number of months."""
    checked = await store.count_resumes(connection)
    return RetentionCount(
        checked, await store.delete_untouched_resumes(connection, call.platform.settings.jobs_resume_months)
    )


RETENTION = [Retention("resume", delete_untouched)]


FEATURE = Feature(
    retention=RETENTION,
    personal_data=PersonalData("resume_root", tables=("employability.resume",)),
    exports=Exports(tables=("employability.resume",)),
)
