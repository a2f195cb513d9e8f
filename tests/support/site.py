"""A visitor who uses the site over HTTP, and the content of its pages."""

import json
import re
from dataclasses import dataclass
from html import unescape
from html.parser import HTMLParser
from typing import Any

import httpx

HTML = {"Accept": "text/html"}


class SitePage(HTMLParser):
    """The content of a page: title, headings, links, metadata for search engines, and text."""

    def __init__(self, answer: httpx.Response) -> None:
        super().__init__()
        self.answer = answer
        self.status = answer.status_code
        self.title = ""
        self.heading = ""
        self.text = ""
        self.links: dict[str, str] = {}
        self.metas: dict[str, str] = {}
        self.canonical = ""
        self.data: list[Any] = []
        self.nodes = 0
        self._open: list[str] = []
        self._href: str | None = None
        self.feed(answer.text)
        self.text = re.sub(r"\s+", " ", self.text)
        self.links = {" ".join(text.split()): href for text, href in self.links.items()}

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = {name: value or "" for name, value in attrs}
        self.nodes += 1
        if tag not in {"meta", "link", "img", "input", "br", "hr"}:
            self._open.append(tag)
        if tag == "meta":
            self.metas[found.get("name") or found.get("property", "")] = found.get("content", "")
        elif tag == "link" and found.get("rel") == "canonical":
            self.canonical = found["href"]
        elif tag == "a":
            self._href, self._label = found.get("href", ""), ""

    def handle_endtag(self, tag: str) -> None:
        if tag == "a" and self._href is not None:
            self.links[self._label], self._href = self._href, None
        if tag in self._open:
            while self._open.pop() != tag:
                pass

    def handle_data(self, data: str) -> None:
        if "script" in self._open:
            self.data.append(json.loads(data))
            return
        self.text += data
        if "title" in self._open:
            self.title += data
        if "h1" in self._open:
            self.heading += data
        if self._href is not None:
            self._label += data

    def follow(self, label: str) -> str:
        """Return the address of the only link that has this label."""
        return unescape(self.links[label])


@dataclass
class SiteClient:
    """A browser without scripts and cookies."""

    http: httpx.Client

    def get(self, path: str, **headers: str) -> httpx.Response:
        """Request an address as a browser does."""
        return self.http.get(path, headers=HTML | {name.replace("_", "-"): value for name, value in headers.items()})

    def open(self, path: str, status: int = 200) -> SitePage:
        """Open a page and check its status."""
        page = SitePage(self.get(path))
        assert page.status == status, (path, page.status, page.text[:300])
        return page
