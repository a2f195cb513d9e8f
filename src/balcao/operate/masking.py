"""Mask secrets and passwords, so that settings can be shown."""

from typing import Any

from pydantic import SecretStr

MASK = "********"


def mask_value(value: Any) -> Any:
    """Return a setting's value as a string, number, boolean or None, with secrets masked."""
    if isinstance(value, SecretStr):
        return MASK
    if value is None or isinstance(value, bool | int | float):
        return value
    text = str(value)
    return mask_address(text) if "://" in text else text


def mask_address(address: str) -> str:
    """Return an address without its password and query.

    A password may contain any character, even unquoted. Of a list of servers, therefore, only the first login and the
    last server are shown. If the password cannot be separated from the rest, only the user is shown.
    """
    scheme, _, rest = address.partition("://")
    before_query, _, query = rest.partition("?")
    login, at, place = before_query.rpartition("@")
    user, colon, _ = rest.partition("@")[0].partition(":")
    if "@" in query:
        return f"{scheme}://{user.partition('?')[0]}:{MASK}@{MASK}"
    return f"{scheme}://{user}:{MASK}@{place}" if at and colon else f"{scheme}://{login}{at}{place}"
