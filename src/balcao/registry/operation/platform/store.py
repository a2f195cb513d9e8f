"""SQL for the platform's state."""

from balcao.core.database.pool import Connection
from balcao.core.database.statements import statement
from balcao.registry.operation.platform.schemas import SchemaVersion


@statement("SELECT current_setting('server_version')")
async def read_server_version(connection: Connection) -> str: ...


# The table also records other steps that run once, such as the demo's. Only the names of migrations end in `.sql`.
@statement("""
SELECT owner, max(name) AS migration, count(*) AS applied, max(applied_at) AS applied_at
FROM platform.migration WHERE name LIKE '%.sql' GROUP BY owner ORDER BY owner
""")
async def list_schema_versions(connection: Connection) -> list[SchemaVersion]: ...
