"""Cookies are parsed in linear time with every Python version, and too many cookies are rejected."""

import resource
import subprocess
import sys

import pytest

from balcao.core.context.headers import Headers
from balcao.core.http.cookies import MOST_COOKIE_BYTES, CookiesTooLarge, read_cookies

# Before Python 3.11.10 and 3.12.6, `http.cookies` needs many seconds for this input (CVE-2024-7592).
READ_HOSTILE = """
from balcao.core.context.headers import Headers
from balcao.core.http import cookies
cookies.MOST_COOKIE_BYTES = 1_000_000
for text in ('\\\\\\\\"', '\\\\\\\\', ';', '=', 'a', 'a=b;', ' '):
    header = f'a="{text * (60_000 // len(text))}"'.encode()
    for _ in range(10):
        cookies.read_cookies(Headers({b"cookie": header}))
"""


@pytest.mark.parametrize(
    ("header", "cookies"),
    [
        ("", {}),
        ("a=b", {"a": "b"}),
        ("a=b; __Host-painel=c-_d==", {"a": "b", "__Host-painel": "c-_d=="}),
        ("a=b;c=d ;  e = f ", {"a": "b", "c": "d", "e": "f"}),
        ('a="b"; c=""', {"a": "b", "c": ""}),
        ("a=first; a=second", {"a": "second"}),
        ("nothing; =b; a=b; ;;", {"a": "b"}),
        ("palavra=ação; a=b", {"palavra": "ação", "a": "b"}),
        ('json={"x":[1,2]}; a=b', {"json": '{"x":[1,2]}', "a": "b"}),
    ],
)
def test_cookies_are_read_as_browsers_send_them(header: str, cookies: dict[str, str]) -> None:
    assert read_cookies(Headers({b"cookie": header.encode()})) == cookies


def test_no_header_is_no_cookie() -> None:
    assert read_cookies(Headers()) == {}


def test_a_hostile_header_costs_next_to_nothing() -> None:
    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_CPU, (10, 10))

    subprocess.run([sys.executable, "-c", READ_HOSTILE], check=True, preexec_fn=limit)


def test_more_cookies_than_browsers_send_are_refused_in_words() -> None:
    with pytest.raises(CookiesTooLarge, match="apague-os") as refused:
        read_cookies(Headers({b"cookie": b"a=" + b"b" * MOST_COOKIE_BYTES}))
    assert refused.value.code == "cookies-too-large"
