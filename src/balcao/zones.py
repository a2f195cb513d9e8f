"""Time zones from the packaged `tzdata`. The host's time zone files are never used."""

import functools
from importlib.resources import files
from zoneinfo import ZoneInfo


@functools.cache
def load_zone(name: str) -> ZoneInfo:
    """Return the time zone with this name. Raises ValueError if it is unknown."""
    try:
        with files("tzdata.zoneinfo").joinpath(*name.split("/")).open("rb") as file:
            return ZoneInfo.from_file(file, key=name)
    except (OSError, ValueError):
        raise ValueError("fuso horário desconhecido") from None
