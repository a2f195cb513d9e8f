"""Time zones, from the database that the platform ships with: what the host has is never asked."""

import functools
from importlib.resources import files
from zoneinfo import ZoneInfo


@functools.cache
def load_zone(name: str) -> ZoneInfo:
    """Return the zone of this name. Raises ValueError for an unknown one."""
    try:
        with files("tzdata.zoneinfo").joinpath(*name.split("/")).open("rb") as file:
            return ZoneInfo.from_file(file, key=name)
    except (OSError, ValueError):
        raise ValueError("fuso horário desconhecido") from None
