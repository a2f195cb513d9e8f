"""Cursors for the list of a unit's notifications. A cursor is valid only for the unit for which it was created."""

from datetime import UTC, datetime, timedelta

from balcao.core.errors import Fault, Unprocessable
from balcao.core.values import cursors
from balcao.core.values.cnes import Cnes

_EPOCH = datetime.fromtimestamp(0, UTC)
_MICROSECOND = timedelta(microseconds=1)


def encode_notification_cursor(cnes: Cnes, opened: datetime) -> str:
    """Return a cursor for the position after the notification opened at this instant."""
    return cursors.encode_cursor(_name(cnes), (opened - _EPOCH) // _MICROSECOND)


def decode_notification_cursor(cnes: Cnes, text: str) -> datetime:
    """Return the instant in a cursor. Raises Unprocessable if the cursor is malformed or belongs to another unit."""
    try:
        return _EPOCH + cursors.decode_cursor(_name(cnes), text) * _MICROSECOND
    except (ValueError, OverflowError):  # harmless, because a forged cursor gives no further access
        item = Fault(loc=["query", "after"], msg="não é um cursor desta lista", type="value_error")
        raise Unprocessable(faults=[item]) from None


def _name(cnes: Cnes) -> str:
    return f"health_units.notifications {cnes.digits}"
