"""Examples of successful responses, recorded from a platform with the demo data (`make examples`)."""

from collections.abc import Mapping
from importlib.resources import files
from types import MappingProxyType
from typing import Any

import msgspec

NO_EXAMPLES: Mapping[str, Any] = MappingProxyType({})


def read_response_examples(package: str) -> Mapping[str, Any]:
    """Return the example bodies in a service's package, by `operationId`."""
    file = files(package) / "response_examples.json"
    found: Mapping[str, Any] = msgspec.json.decode(file.read_bytes()) if file.is_file() else NO_EXAMPLES
    return found


def name_for_generators(key: str) -> str:
    """Return the `operationId` of a key. Client generators turn it into a function name."""
    return key.replace(".", "_")
