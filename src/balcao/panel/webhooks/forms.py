"""The form for a receiver."""

import re
from collections.abc import Mapping
from typing import Any

from wtforms import BooleanField, StringField
from wtforms.validators import Optional

from balcao.panel.webhooks.model import Webhook
from balcao.web.forms import Form, length, needed


class WebhookForm(Form):
    """The form for a receiver: its address, and the topics about which it is notified.

    Each area defines a subclass, which sets the label of `topics` and maps the fields to the `members` of the area's
    service.
    """

    url = StringField(
        "Endereço", description="Começa com https://.", validators=[needed("Escreva o endereço."), length(1, 500)]
    )
    description = StringField("De quem é", validators=[Optional(), length(0, 200)])
    topics = StringField("Só destes", validators=[Optional(), length(0, 6000)])
    is_active = BooleanField("Enviar os avisos", default=True)

    @property
    def body(self) -> Mapping[str, Any]:
        """Return the request body."""
        taken = {
            "url": (self.url.data or "").strip(),
            "description": (self.description.data or "").strip() or None,
            "topics": [topic for topic in re.split(r"[\s,;]+", self.topics.data or "") if topic],
            "is_active": self.is_active.data,
        }
        return {self.members.get(name, name): value for name, value in taken.items()}


def to_fields(webhook: Webhook) -> dict[str, Any]:
    """Convert a receiver to form field values."""
    return {
        "url": webhook.url,
        "description": webhook.description or "",
        "topics": ", ".join(webhook.topics),
        "is_active": webhook.is_active,
    }
