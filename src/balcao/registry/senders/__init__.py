"""What the senders of messages may ask about their recipients, and the addresses by which recipients opt out."""

from balcao.registry.senders.recipients.api import FEATURE as RECIPIENTS
from balcao.registry.senders.unsubscribe.api import FEATURE as UNSUBSCRIBE

FEATURES = (RECIPIENTS, UNSUBSCRIBE)
