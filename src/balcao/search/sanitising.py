"""Defines the HTML and links allowed in the texts of services, and removes others from responses (rules: search 3.1).

A text is Markdown, and a portal may show it as Markdown or as HTML. A tag is therefore allowed only in a form that both
read in the same way: attribute values without `<` and `>`, and a blank before each attribute. All other markup that
starts like a tag is removed.

Cost: regular expressions find forbidden markup in time linear in the text, because each character class excludes the
character that starts the next match. The sanitiser itself needs quadratic time for nested elements, so it only gets
short texts.
"""

import re
from typing import Any

import msgspec
import nh3

from balcao.core.values.addresses import is_link

# The defaults of the library, plus `title` and `lang` for every element.
_ATTRIBUTES = {**nh3.ALLOWED_ATTRIBUTES, "*": {"title", "lang"}}
_LINKS = frozenset({"href", "src", "cite"})

# Even for nested tags, the sanitiser needs less than 5 ms for a text with this size and number of tags.
LONGEST_CLEANED = 20_000
MOST_TAGS_CLEANED = 100

_END = r"[ \t\r\n\f]*/?>"
_IN_ADDRESS = r"[^\x00-\x20\x7f\\<>\"'`\[\]]"
_IN_QUERY = r"[^\x00-\x20\x7f\\<>\"'`\[\]=]"
_HOST = r"https?://[^\x00-\x20\x7f\\<>\"'`\[\]/?#@&=]+"
# A link that `is_link` accepts, or a path on the portal itself. Decoding it cannot produce another scheme or host.
_TARGET = (
    rf"(?:{_HOST}(?:[/?#]{_IN_ADDRESS}*)?|(?:mailto|tel):{_IN_ADDRESS}+"
    r"|(?!//)(?:\d[^\x00-\x20\x7f\\<>\"'`\[\]&/?#]*|[^\x00-\x20\x7f\\<>\"'`\[\]&/?#:]*)"
    rf"(?:[/?#]{_IN_ADDRESS}*)?)"
)
# A browser reads an autolink as an unknown element. If its path contains no `=`, that element has no attribute with a
# value.
_AUTOLINK = (
    rf"(?:(?:{_HOST}(?:/[^\x00-\x20\x7f\\<>\"'`\[\]=?#]*)?|(?:mailto|tel):[^\x00-\x20\x7f\\<>\"'`\[\]=?#]+)"
    rf"(?:[?#](?:{_IN_QUERY}*|[^\x00-\x20\x7f\\<>\"'`\[\]=/]*={_IN_ADDRESS}*))?|[\w.+-]+@[\w.-]+)>"
)


def _list_attributes(tag: str) -> set[str]:
    return _ATTRIBUTES.get(tag, set()) | _ATTRIBUTES["*"]


def _write_tag(tag: str) -> str:
    """Return the pattern for the text after `<` if the tag is this one and has only allowed attributes."""
    plain = "|".join(sorted(_list_attributes(tag) - _LINKS))
    links = "|".join(sorted(_list_attributes(tag) & _LINKS))
    value = r"=(?:\"[^\"<>]*\"|'[^'<>]*'|[^ \t\r\n\f\"'=<>`]+)"
    attribute = rf"(?:{plain})(?:{value})?"
    if links:
        attribute = rf"(?:{attribute}|(?:{links})=(?:\"{_TARGET}\"|'{_TARGET}'))"
    return rf"{tag}(?:[ \t\r\n\f]+{attribute})*{_END}"


_BARE = rf"/?(?:{'|'.join(sorted(nh3.ALLOWED_TAGS))}){_END}"
_TAG = "|".join([_BARE, *(_write_tag(tag) for tag in sorted(nh3.ALLOWED_TAGS)), _AUTOLINK])
# Callers pass the text in lower case, because patterns that ignore case are several times slower.
_LOST_TAG = re.compile(rf"<(?=[a-z/!?])(?!{_TAG})", re.ASCII)
# A forbidden target of a Markdown link, or of a link definition on its own line.
_LOST_TARGET = re.compile(
    rf"\]\([ \t\r\n\f<]*+(?!{_TARGET}(?:[ \t\r\n\f)>]|$))"
    rf"|\]:[ \t\r\n\f<]*+(?!{_TARGET}(?:[ \t\r\n\f>]|$))[^ \t\r\n\f<>\[\]]*+(?:[\[\]]|>?[ \t]*+(?:$|\n|[\"'(]))",
    re.ASCII | re.MULTILINE,
)
# The user name in an address. Readers could mistake it for the host, which follows it.
_USER = re.compile(r"(https?://)[^\s/?#<>\"'`]*@", re.IGNORECASE)
# A fast check of a JSON body. It matches everything that the patterns above match, but also some allowed texts.
_SUSPECT = tuple(
    re.compile(pattern.encode())
    for pattern in (
        rf"<(?=[a-z/!?])(?!{_BARE})",
        rf"\](?:\([ <]*+(?!{_TARGET}(?:[ )>]|$))|:[ <]*+(?!{_TARGET}(?:[ >]|$)))",
        _USER.pattern,
        rf'"url_service": ?"(?!{_HOST}(?:[/?#]{_IN_ADDRESS}*+)?"|(?:mailto|tel):{_IN_ADDRESS}++")',
    )
)

_VALUE = re.compile(r"=\s*(?:\"[^\"]*\"|'[^']*'|[^\s>]*)")
_NAMED = re.compile(r"</?\s*([!?]|[a-z][^\s/>]*)|[\s/]([^\s/>=\"']+)", re.ASCII)


def find_lost(text: str) -> str | None:
    """Return the name of the first forbidden tag, attribute or link. Return None if everything is allowed."""
    lower = text.lower()
    if tag := _LOST_TAG.search(lower):
        return _name_lost(lower[tag.start() : tag.start() + 200])
    return "link" if _LOST_TARGET.search(lower) or _USER.search(text) else None


def _name_lost(markup: str) -> str:
    """Return `<tag>`, or `<tag attribute>` if only the attribute is forbidden."""
    names = [one or other for one, other in _NAMED.findall(_VALUE.sub("", markup).partition(">")[0])]
    tag = names[0] if names else ""
    if tag not in nh3.ALLOWED_TAGS:
        return f"<{tag}>"
    attributes = [name for name in names[1:] if name not in _list_attributes(tag)]
    attributes += [name for name in names[1:] if name in _LINKS]
    return f"<{' '.join([tag, *attributes[:1]])}>"


def clean_body(body: bytes) -> bytes:
    """Remove forbidden markup from all strings in a JSON body, and disable buttons with unsafe addresses."""
    lower = body.lower()
    if not any(pattern.search(lower) for pattern in _SUSPECT):
        return body
    value = msgspec.json.decode(body)
    cleaner = _Cleaner()
    cleaned = cleaner.clean(value)
    return msgspec.json.encode(cleaned) if cleaner.has_changed else body


class _Cleaner:
    """A cleaner for one response. `left` is the number of characters that the sanitiser may still process."""

    def __init__(self) -> None:
        self.left = LONGEST_CLEANED
        self.has_changed = False

    def clean(self, value: Any) -> Any:
        """Clean all strings in a decoded JSON value, including the names of members."""
        if isinstance(value, str):
            return self._clean_text(value)
        if isinstance(value, list):
            return [self.clean(item) for item in value]
        if not isinstance(value, dict):
            return value
        cleaned = {self._clean_text(name): self.clean(item) for name, item in value.items()}
        address = value.get("url_service")
        if isinstance(address, str) and address and not is_link(address):
            self.has_changed = True
            cleaned |= {"url_service": "", "is_enabled": False}
        return cleaned

    def _clean_text(self, text: str) -> str:
        if find_lost(text) is None:
            return text
        self.has_changed = True
        if text.count("<") > MOST_TAGS_CLEANED or len(text) > self.left:
            return _escape(text)
        self.left -= len(text)
        cleaned = _USER.sub(r"\1", text)
        if _LOST_TAG.search(cleaned.lower()):
            cleaned = nh3.clean(cleaned, attributes=_ATTRIBUTES, link_rel=None, attribute_filter=_filter_attribute)
            # Markdown quotes start with `>`, which the sanitiser has escaped.
            cleaned = re.sub(r"^([ \t]*)&gt;", r"\1>", cleaned, flags=re.MULTILINE)
        cleaned = _break_links(cleaned)
        return _escape(cleaned) if find_lost(cleaned) else cleaned


def _break_links(text: str) -> str:
    """Escape the closing bracket of each link whose target is not allowed."""
    lower = text.lower()
    if len(lower) != len(text):  # the positions in `lower` would not match those in `text`
        return text
    ends = [found.start() for found in _LOST_TARGET.finditer(lower)]
    parts = [text[start:end] for start, end in zip([0, *(end + 1 for end in ends)], [*ends, None], strict=True)]
    return "&#93;".join(parts)


def _escape(text: str) -> str:
    """Escape `<` and `]`, because every tag and every Markdown link needs one of them."""
    return _USER.sub(r"\1", text.replace("<", "&lt;").replace("]", "&#93;"))


def _filter_attribute(_: str, name: str, value: str) -> str | None:
    return None if name in _LINKS and not re.fullmatch(_TARGET, value.lower(), re.ASCII) else value
