"""What the sandbox's handlers are given, and how its routes are listed."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

from balcao_sandbox.crm.mailbox import Mailbox
from balcao_sandbox.crm.state import Sandbox

# Method, path, and a handler of the request, the CRM and the path's values, which answers at once or is awaited.
Route: TypeAlias = tuple[str, str, Callable[..., Any]]


@dataclass
class SandboxCrm:
    """`client` is the id and the secret that are given tokens."""

    sandbox: Sandbox
    mailbox: Mailbox
    client: tuple[str, str]
