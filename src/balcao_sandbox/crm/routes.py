"""The type of the sandbox CRM's routes, and the state that their handlers receive."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

from balcao_sandbox.crm.mailbox import Mailbox
from balcao_sandbox.crm.state import Sandbox

# Method, path and handler. The handler receives the request, the CRM and the path values. It returns a response or an
# awaitable response.
Route: TypeAlias = tuple[str, str, Callable[..., Any]]


@dataclass
class SandboxCrm:
    """The state of the sandbox CRM. `client` is the id and secret of the only client that can get a token."""

    sandbox: Sandbox
    mailbox: Mailbox
    client: tuple[str, str]
