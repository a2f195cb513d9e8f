"""Opt people out of one category through the sealed address in an e-mail (RFC 8058; rules: registry 4.17)."""

from typing import NamedTuple

from balcao.core.access.rules import Decision, Reason
from balcao.core.context.audit import ActorKind
from balcao.core.context.call import Call
from balcao.core.errors import NotFound
from balcao.core.values.clock import utc_now
from balcao.core.values.cpf import Cpf
from balcao.registry.consent.categories.store import find_category_name
from balcao.registry.consent.preferences import service as preferences
from balcao.registry.senders.unsubscribe.links import Link, open_link

CHANNEL = "email"
REASON = "one_click_unsubscribe"
GRANT = "unsubscribe_link"
# No valid address contains a longer string, so the length is checked before the string is decrypted.
LONGEST = 1_000


class LinkCall(Call):
    """A call by the reader of an e-mail, who is not logged in.

    The address itself grants the right to opt out. It does not prove that the reader is the person, so the ledger does
    not name the person as the actor.
    """

    __slots__ = ("sender",)

    def __init__(self, call: Call, sender: str) -> None:
        decision = Decision(Reason.AUTHENTICATED, GRANT)
        super().__init__(call.platform, call.operation, call.request_id, decision, None, call.headers)
        self.sender = sender

    @property
    def actor_kind(self) -> ActorKind:
        return "citizen"

    @property
    def client(self) -> str:
        """The client whose message contained the address."""
        return self.sender


class OpenedLink(NamedTuple):
    """A valid link, and the name of its category."""

    link: Link
    category: str


async def open_address(call: Call, sealed: str) -> OpenedLink:
    """Return the link in an address. Raises NotFound if the address is not valid or has expired."""
    link = open_link(call.platform.audit, sealed, utc_now()) if len(sealed) <= LONGEST else None
    name = await find_category_name(call.platform.database, link.category) if link else None
    if link is None or name is None:
        raise NotFound("Este endereço não vale mais.", code="unsubscribe-unknown")
    return OpenedLink(link, name)


async def unsubscribe(call: Call, sealed: str) -> str:
    """Opt out, and return the name of the category.

    Raises NotFound as `open_address` does. Repeating the call changes nothing and is not recorded.
    """
    link, category = await open_address(call, sealed)
    reader = LinkCall(call, link.sender)
    await preferences.withdraw_category(reader, Cpf(link.cpf), link.category, CHANNEL, REASON)
    return category
