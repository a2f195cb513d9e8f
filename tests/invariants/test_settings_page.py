"""Operators find every setting on docs/reference/settings.md, and no other."""

import re
from pathlib import Path

from balcao.settings import Settings

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "settings.md"


def test_the_page_lists_every_setting_once() -> None:
    first_cells = re.findall(r"^\| (`[^|]*`) \|", PAGE.read_text("utf-8"), re.MULTILINE)
    listed = [name for cell in first_cells for name in re.findall(r"`(\w+)`", cell)]
    assert sorted(listed) == sorted(
        str(field.validation_alias or f"BALCAO_{name.upper()}") for name, field in Settings.model_fields.items()
    )
