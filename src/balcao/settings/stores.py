"""Settings for PostgreSQL (logins and connections), Redis and the bucket of files."""

from urllib.parse import unquote, urlsplit

from pydantic import BaseModel, Field, SecretStr

from balcao.settings.types import BucketServer, DatabaseAddress, RedisServer

CONNECTIONS = 10  # the default for one process
MOST_CONNECTIONS = 80  # the total of `balcao serve`; PostgreSQL allows 100


class StoreSettings(BaseModel):
    """Settings for PostgreSQL, Redis and the bucket of files."""

    database_url: DatabaseAddress = ""
    database_owner_url: DatabaseAddress = ""
    database_read_url: DatabaseAddress = ""
    database_read_lag: int = Field(10, ge=2, le=300)
    database_role: str = Field("balcao_app", pattern=r"^[a-z_][a-z0-9_]{0,62}$")
    database_pool: int | None = Field(None, ge=2, le=2_000)
    redis_url: RedisServer = ""
    backup_url: DatabaseAddress = ""
    files_s3_url: BucketServer = ""
    files_s3_bucket: str = Field("balcao", pattern=r"^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$")
    files_s3_region: str = Field("us-east-1", pattern=r"^[a-z0-9-]{1,50}$")
    files_s3_key_id: str = ""
    files_s3_secret: SecretStr = SecretStr("")

    @property
    def embedded_database(self) -> bool:
        """Return whether the platform starts its own PostgreSQL."""
        return not self.database_url

    def owner_url(self, database_url: str) -> str:
        """Return the address at which the owner of the tables connects to the database."""
        return self.database_owner_url or database_url

    def find_backup_url(self, database_url: str) -> str:
        """Return the address for backups of the database server. The default is the owner's address."""
        return self.backup_url or self.owner_url(database_url)

    @property
    def backup_variable(self) -> str:
        """Return the name of the variable that sets the address in `find_backup_url`."""
        if self.backup_url:
            return "BALCAO_BACKUP_URL"
        return "BALCAO_DATABASE_OWNER_URL" if self.database_owner_url else "BALCAO_DATABASE_URL"

    @property
    def database_login(self) -> str | None:
        """Return the services' database user, or None if the services connect as the owner of the tables."""
        if self.database_url and self.database_owner_url in {"", self.database_url}:
            return None
        return unquote(urlsplit(self.database_url).username or "") or self.database_role

    @property
    def connections(self) -> int:
        """Return the maximum number of database connections of one process.

        `balcao serve` gives each process a share.
        """
        return CONNECTIONS if self.database_pool is None else self.database_pool

    def share_of_connections(self, processes: int) -> int:
        """Return how many database connections a process may open if there are `processes` of them."""
        whole = self.database_pool or min(CONNECTIONS * processes, MOST_CONNECTIONS)
        return max(2, whole // processes)
