"""The departments of the sandbox's invented city."""

import tomllib
from collections.abc import Iterator
from importlib.resources import files

from balcao.core.context.platform import Platform
from balcao.core.imports.service import load as load_lines
from balcao.registry.city.departments.loading import LOADS
from balcao.registry.city.departments.schemas import DepartmentLine

HEALTH = "1100"


async def load(platform: Platform) -> None:
    await load_lines(platform, LOADS[0], list(_lines()))


def _lines() -> Iterator[DepartmentLine]:
    document = tomllib.loads(files(__package__).joinpath("demo_departments.toml").read_text("utf-8"))
    for line in document["departments"]:
        code, parent, level, acronym, name = (part.strip() for part in line.split("|"))
        yield DepartmentLine(
            cd_ua=code,
            sigla_ua=acronym,
            nome_ua=name,
            nivel=int(level),
            cd_ua_pai=parent or None,
            ordem_ua_basica=code[:2],
            ordem_absoluta=f"01.{code[:2]}.{code[2:]}",
            ordem_relativa=code[2:],
        )
