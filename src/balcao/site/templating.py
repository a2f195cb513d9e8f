"""The site's template environment, with the filters and global values for all templates."""

import json
import re
from collections.abc import Mapping
from functools import partial
from typing import Any
from urllib.parse import urlsplit

from jinja2 import Environment
from markupsafe import Markup, escape

from balcao.core.http.assets import Assets
from balcao.site.facts import read_facts
from balcao.site.formats import SiteWords, format_long_day
from balcao.site.wording import Wording
from balcao.web import templating
from balcao.web.markup import render_markdown
from balcao.web.service_requests.files import describe_note
from balcao.web.words import add_article, format_money

_NUMBER = re.compile(r"\bPED-[0-9]+-[0-9]\b")
# Characters that could end a data block, or start a comment in it.
_UNSAFE = {ord(sign): f"\\u{ord(sign):04x}" for sign in "<>&\u2028\u2029"}


def make_environment(words: SiteWords, wording: Wording, assets: Assets, city: str, phone: str) -> Environment:
    """Return the environment. It escapes all values, and raises an error for undefined names."""
    environment = templating.make_environment("balcao.site", "templates")
    templating.add_formats(environment, words)
    environment.filters.update(
        host=read_host,
        when=words.format_when,
        hour=words.format_hour,
        long_day=format_long_day,
        money=format_money,
        article=add_article,
        stored_file=describe_note,
        json_ld=write_data,
        last_day=words.format_last_day,
        days_left=words.count_days_left,
        markdown=render_markdown,
        digits=keep_digits,
        whole_numbers=keep_numbers_whole,
    )
    environment.globals["facts"] = partial(read_facts, wording)
    dialled = "".join(sign for sign in phone if sign.isdigit() or sign == "+")
    environment.globals.update(asset=assets.address, city=city, phone=phone, dialled=dialled, wording=wording)
    return environment


def read_host(address: str) -> str:
    """Return the host name in an address. It shows people to which website a link leads."""
    return urlsplit(address).hostname or ""


def keep_digits(text: str) -> str:
    """Return only the digits of a telephone number."""
    return "".join(sign for sign in text if sign.isascii() and sign.isdigit())


def keep_numbers_whole(text: str) -> Markup:
    """Escape a text, and prevent line breaks within the numbers of requests."""
    return Markup(_NUMBER.sub(r'<span class="inteiro">\g<0></span>', str(escape(text))))  # noqa: S704 - the text is escaped


def write_data(data: Mapping[str, Any]) -> Markup:
    """Format a data block for search engines as JSON that cannot end its HTML element."""
    return Markup(json.dumps(data, ensure_ascii=False, separators=(",", ":")).translate(_UNSAFE))  # noqa: S704
