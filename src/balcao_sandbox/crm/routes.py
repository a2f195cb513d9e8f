"""The arguments of the sandbox's handlers, and the type of its routes."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

from balcao_sandbox.crm.mailbox import Mailbox
from balcao_sandbox.crm.state import Sandbox

# Method, path and handler. The handler gets the request, the CRM and the path's values. It returns a response or an
# awaitable.
Route: TypeAlias = tuple[str, str, Callable[..., Any]]


@dataclass
class SandboxCrm:
    """The state of the sandbox CRM. `client` is the id and the secret of the client that gets tokens."""

    sandbox: Sandbox
    mailbox: Mailbox
    client: tuple[str, str]
