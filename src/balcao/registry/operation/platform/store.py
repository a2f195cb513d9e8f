"""SQL for the platform's state."""

from balcao.core.database.pool import Connection
from balcao.core.database.statements import statement
from balcao.registry.operation.platform.schemas import SchemaVersion


@statement("SELECT current_setting('server_version')")
async def read_server_version(connection: Connection) -> str: ...


# Only numbered migrations say which version of the schema this is. The table also records files of functions, which run
# again after each change, and other steps that run once, such as the demo's.
@statement("""
SELECT owner, max(name) AS migration, count(*) AS applied, max(applied_at) AS applied_at
FROM platform.migration WHERE name ~ '^[0-9]{4}_' GROUP BY owner ORDER BY owner
""")
async def list_schema_versions(connection: Connection) -> list[SchemaVersion]: ...
