"""The panel's template environment, with the filters and values that all templates use."""

from collections.abc import Callable
from typing import Any

from jinja2 import Environment
from markupsafe import Markup

from balcao import __version__
from balcao.core.http.assets import Assets
from balcao.panel.rights import show_given, show_right
from balcao.web import templating
from balcao.web.words import (
    Words,
    capitalize_first,
    format_count,
    format_day,
    format_duration,
    format_number,
    format_phone,
    format_weekday,
)

# The sign for a missing value. Its marked form lets `panel.css` hide the line in lists on phones.
_NOTHING, _MARKED_NOTHING = "–", Markup('<span class="nil">–</span>')


def make_environment(words: Words, assets: Assets, city: str) -> Environment:
    """Return the environment. It escapes all values, and undefined names are errors."""
    environment = templating.make_environment("balcao.panel", "templates", finalize=_mark_nothing)
    filters: dict[str, Callable[..., Any]] = {
        "moment": words.format_moment,
        "exactly": words.format_exactly,
        "clock": words.format_clock,
        "until": words.format_end,
        "deadline": words.format_deadline,
        "day": format_day,
        "number": format_number,
        "phone": format_phone,
        "duration": format_duration,
        "sentence": capitalize_first,
        "weekday": format_weekday,
        "given": show_given,
        "right": show_right,
    }
    environment.filters.update(filters)
    environment.globals.update(
        asset=assets.address, city=city, balcao_version=__version__, words=words, count=format_count
    )
    return environment


def _mark_nothing(value: Any) -> Any:
    return _MARKED_NOTHING if value == _NOTHING else value
