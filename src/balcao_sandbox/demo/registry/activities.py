"""A part of the national classification of economic activities, for the sandbox."""

import tomllib
from collections.abc import Iterator
from importlib.resources import files

from balcao.core.context.platform import Platform
from balcao.core.imports import service as imports
from balcao.registry.city.activities.imports import IMPORTS
from balcao.registry.city.activities.schemas import ActivityRow


async def load_demo_activities(platform: Platform) -> None:
    await imports.import_rows(platform, IMPORTS[0], list(_list_rows()))


def _list_rows() -> Iterator[ActivityRow]:
    document = tomllib.loads(files(__package__).joinpath("activities.toml").read_text("utf-8"))
    for section, texts in document["sections"].items():
        for text in texts:
            subclass, _, name = (part.strip() for part in text.partition("|"))
            division, group = subclass[:2], f"{subclass[:2]}.{subclass[2]}"
            yield ActivityRow(section, division, group, f"{group}{subclass[3:6]}", subclass, name)
