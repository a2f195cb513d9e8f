"""The types of fixtures that many modules use."""

from collections.abc import Callable
from typing import TypeAlias

import asyncpg
import httpx

# A function that runs one statement as the owner of the database.
Sql: TypeAlias = Callable[..., list[asyncpg.Record]]
# A function that runs all due jobs.
Drain: TypeAlias = Callable[[], None]
# A function that sends a request to the operation under test.
Ask: TypeAlias = Callable[..., httpx.Response]
