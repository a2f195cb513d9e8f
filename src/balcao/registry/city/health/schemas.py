"""Wire types of the health check."""

from datetime import datetime

import msgspec


class Dependency(msgspec.Struct):
    status: bool
    message: str
    timestamp: datetime


class Dependencies(msgspec.Struct):
    datastore: Dependency
    cache: Dependency


class HealthCheck(msgspec.Struct):
    """The state of the registry (spec: health check result); `version` is the package's."""

    services: Dependencies
    status: bool
    timestamp: datetime
    version: str
