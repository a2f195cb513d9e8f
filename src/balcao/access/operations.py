"""How this service declares its operations: errors as {detail}, small bodies, writes at a rate."""

import functools

from balcao.core.http.dialects import DETAIL
from balcao.core.http.operations import operation as core_operation

MAX_BODY_BYTES = 256 * 1024

operation = functools.partial(core_operation, dialect=DETAIL, body_limit=MAX_BODY_BYTES, tags=["acessos"])
write = functools.partial(operation, rate="60/minute")
