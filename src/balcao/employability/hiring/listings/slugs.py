"""The slug of a job: its title for people, a part of its id for us (rules: employability 3.3)."""

import re
import unicodedata

LONGEST = 80
_OTHER = re.compile(r"[^a-z0-9]+")
SLUG = re.compile(r"(?:[a-z0-9-]{1,200}-)?([0-9a-f]{12})")


def slugify(title: str) -> str:
    """Return the title without accents, in lower case, cut on a word; `vaga` for one without letters and digits."""
    plain = title
    if not title.isascii():
        plain = "".join(char for char in unicodedata.normalize("NFD", title) if not unicodedata.combining(char))
    words = _OTHER.sub("-", plain.lower()).strip("-")
    if len(words) > LONGEST:
        cut = words[: LONGEST + 1].rpartition("-")[0]
        words = cut or words[:LONGEST]
    return words or "vaga"


def parse_slug(text: str) -> str | None:
    """Return the first twelve hexadecimal digits of the id that the slug ends with; None for what is no slug."""
    found = SLUG.fullmatch(text.lower())
    return found[1] if found else None
