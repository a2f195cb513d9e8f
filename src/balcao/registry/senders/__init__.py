"""The API for senders of messages: the check of recipients, and the addresses with which recipients opt out."""

from balcao.registry.senders.recipients.api import FEATURE as RECIPIENTS
from balcao.registry.senders.unsubscribe.api import FEATURE as UNSUBSCRIBE

FEATURES = (RECIPIENTS, UNSUBSCRIBE)
