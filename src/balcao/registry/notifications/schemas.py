"""Wire types of the notification preferences."""

from datetime import datetime

import msgspec


class Preferences(msgspec.Struct):
    """Spec: notification preferences of a citizen. Every active category appears in `category_opt_ins`."""

    cpf: str
    opt_in: bool
    category_opt_ins: dict[str, bool]
    updated_at: datetime
