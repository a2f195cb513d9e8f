"""docs/reference/settings.md and `balcao config explain` list exactly the existing settings."""

import re
from pathlib import Path

from balcao.operate.explanation import _DERIVED, _read_texts
from balcao.settings import Settings, variable_of

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "settings.md"


def test_the_page_lists_every_setting_once() -> None:
    first_cells = re.findall(r"^\| (`[^|]*`) \|", PAGE.read_text("utf-8"), re.MULTILINE)
    listed = [name for cell in first_cells for name in re.findall(r"`(\w+)`", cell)]
    assert sorted(listed) == sorted(
        str(field.validation_alias or f"BALCAO_{name.upper()}") for name, field in Settings.model_fields.items()
    )


def test_every_setting_is_explained_once_and_says_what_holds_when_it_is_empty() -> None:
    """Describe each new setting in `settings/descriptions.toml`."""
    texts, empty = _read_texts()
    variables = [variable_of(name) for name in Settings.model_fields]
    assert sorted(texts) == sorted(variables)
    assert all(text.endswith(".") for text in texts.values())
    blank = {variable_of(name) for name, field in Settings.model_fields.items() if field.get_default() in {None, ""}}
    assert empty.keys() <= set(variables)
    assert blank <= empty.keys() | {variable_of(name) for name in _DERIVED}
