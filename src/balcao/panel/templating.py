"""The panel's template environment, with the filters and global values for all templates."""

from typing import Any

from jinja2 import Environment
from markupsafe import Markup

from balcao.core.http.assets import Assets
from balcao.panel.rights import show_given, show_right
from balcao.web import templating
from balcao.web.service_requests.files import describe_note
from balcao.web.words import Words

# The sign for a missing value. With its markup, `panel.css` can hide the line in lists on phones.
_NOTHING, _MARKED_NOTHING = "–", Markup('<span class="nil">–</span>')


def make_environment(words: Words, assets: Assets, city: str) -> Environment:
    """Return the environment. It escapes all values, and raises an error for undefined names."""
    environment = templating.make_environment("balcao.panel", "templates", finalize=_mark_nothing)
    templating.add_formats(environment, words)
    environment.filters.update(given=show_given, right=show_right, stored_file=describe_note)
    environment.globals.update(asset=assets.address, city=city)
    return environment


def _mark_nothing(value: Any) -> Any:
    return _MARKED_NOTHING if value == _NOTHING else value
