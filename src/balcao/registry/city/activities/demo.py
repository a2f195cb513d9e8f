"""A part of the national classification, for the sandbox."""

import tomllib
from collections.abc import Iterator
from importlib.resources import files

from balcao.core.context.platform import Platform
from balcao.core.imports.service import load as load_lines
from balcao.registry.city.activities.loading import LOADS
from balcao.registry.city.activities.schemas import ActivityLine


async def load(platform: Platform) -> None:
    await load_lines(platform, LOADS[0], list(_lines()))


def _lines() -> Iterator[ActivityLine]:
    document = tomllib.loads(files(__package__).joinpath("demo_activities.toml").read_text("utf-8"))
    for section, lines in document["sections"].items():
        for line in lines:
            subclass, _, name = (part.strip() for part in line.partition("|"))
            division, group = subclass[:2], f"{subclass[:2]}.{subclass[2]}"
            yield ActivityLine(section, division, group, f"{group}{subclass[3:6]}", subclass, name)
