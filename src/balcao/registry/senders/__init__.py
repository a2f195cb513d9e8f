"""The API for senders of messages: check recipients, and let recipients opt out through an address in the message."""

from balcao.registry.senders.recipients.api import FEATURE as RECIPIENTS
from balcao.registry.senders.unsubscribe.api import FEATURE as UNSUBSCRIBE

FEATURES = (RECIPIENTS, UNSUBSCRIBE)
