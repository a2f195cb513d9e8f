"""Compare and sort the names in the catalogue, and derive ids from them (rules: registry 3.6)."""

import re
import unicodedata

from balcao.core.errors import Invalid

_SEPARATORS = re.compile(r"[\s_-]+")
_DROPPED = re.compile(r"[^a-z0-9_\s-]")
_ID = re.compile(r"(brand|model)_[a-z0-9_]+")
_BRAND = "brand_"


def fold_name_case(name: str) -> str:
    """Return the key that compares names ignoring case."""
    return name.casefold()


def fold_name(name: str) -> str:
    """Return the key that sorts names ignoring case and accents."""
    decomposed = unicodedata.normalize("NFKD", name.casefold())
    return "".join(char for char in decomposed if not unicodedata.combining(char))


def make_slug(name: str) -> str:
    """Convert the name to a part of an id. Raises Invalid if the name has no character that an id can contain."""
    found = _SEPARATORS.sub("_", _DROPPED.sub("", fold_name(name)).strip()).strip("_")
    if not found:
        raise Invalid("O campo `name` deve ter ao menos uma letra sem acento ou um algarismo.", code="name-slug")
    return found


def make_brand_id(name: str) -> str:
    """Return the id for a new brand. Raises the same errors as `make_slug`."""
    return _BRAND + make_slug(name)


def make_model_id(brand_id: str, name: str) -> str:
    """Return the id for a new model. Raises the same errors as `make_slug`."""
    return f"model_{brand_id.removeprefix(_BRAND)}_{make_slug(name)}"


def is_id(text: str) -> bool:
    """Return whether the string can be an id. Other strings need no look-up."""
    return _ID.fullmatch(text) is not None
