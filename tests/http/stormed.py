"""The small application in its own process: `python -m tests.http.stormed DESCRIPTOR LIMITS_AS_JSON`."""

import sys
from typing import Any

import msgspec
import uvloop

from balcao.gateway.limits import Limits
from tests.http.application import Echo
from tests.http.served import serve

# `Any`, because the type of Echo does not exactly match the server's types.
application: Any = Echo()

if __name__ == "__main__":
    uvloop.run(serve(application, msgspec.json.decode(sys.argv[2], type=Limits)))
