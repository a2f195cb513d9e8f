"""How this service declares its operations."""

import functools

from balcao.core.http.dialects import DETAIL
from balcao.core.http.operations import operation as core_operation

operation = functools.partial(core_operation, dialect=DETAIL)
