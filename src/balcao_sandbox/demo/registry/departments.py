"""The departments of the invented city."""

import tomllib
from collections.abc import Iterator, Mapping
from importlib.resources import files
from typing import Any

from balcao.core.context.platform import Platform
from balcao.core.imports import service as imports
from balcao.registry.city.departments.imports import IMPORTS
from balcao.registry.city.departments.schemas import DepartmentRow

HEALTH = "1100"


async def load_demo_departments(platform: Platform) -> None:
    await imports.import_rows(platform, IMPORTS[0], list(_list_rows()))


def _list_rows() -> Iterator[DepartmentRow]:
    document = tomllib.loads(files(__package__).joinpath("departments.toml").read_text("utf-8"))
    for text in document["departments"]:
        code, parent, level, acronym, name = (part.strip() for part in text.split("|"))
        yield DepartmentRow(
            cd_ua=code,
            sigla_ua=acronym,
            nome_ua=name,
            nivel=int(level),
            cd_ua_pai=parent or None,
            ordem_ua_basica=code[:2],
            ordem_absoluta=f"01.{code[:2]}.{code[2:]}",
            ordem_relativa=code[2:],
        )


async def find_department_examples(_: Platform) -> Mapping[str, Any]:
    return {"department_id": HEALTH}
