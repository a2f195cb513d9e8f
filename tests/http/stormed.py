"""The small application in a process of its own: `python -m tests.http.stormed DESCRIPTOR LIMITS`, which are JSON."""

import sys
from typing import Any

import msgspec
import uvloop

from balcao.gateway.limits import Limits
from tests.http.application import Echo
from tests.http.served import serve

# More than a server asks for and, of an endpoint, no more than that.
application: Any = Echo()

if __name__ == "__main__":
    uvloop.run(serve(application, msgspec.json.decode(sys.argv[2], type=Limits)))
