"""Types of fixtures that many modules use."""

from collections.abc import Callable
from typing import TypeAlias

import asyncpg
import httpx

# Runs one statement as the owner of the database.
Sql: TypeAlias = Callable[..., list[asyncpg.Record]]
# Runs all due jobs.
Drain: TypeAlias = Callable[[], None]
# Sends a request to the operation under test.
Ask: TypeAlias = Callable[..., httpx.Response]
