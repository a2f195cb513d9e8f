"""How names of the catalogue are compared, sorted and made into ids (rules: registry 3.6)."""

import re
import unicodedata

from balcao.core.errors import Invalid

_SEPARATORS = re.compile(r"[\s_-]+")
_DROPPED = re.compile(r"[^a-z0-9_\s-]")
_ID = re.compile(r"(brand|model)_[a-z0-9_]+")
_BRAND = "brand_"


def name_key(name: str) -> str:
    """Two names are the same when they differ in case only."""
    return name.casefold()


def folded(name: str) -> str:
    """Lower case without accents: names are sorted by it."""
    decomposed = unicodedata.normalize("NFKD", name.casefold())
    return "".join(char for char in decomposed if not unicodedata.combining(char))


def slug(name: str) -> str:
    """Raises Invalid when nothing of the name can stand in an id."""
    found = _SEPARATORS.sub("_", _DROPPED.sub("", folded(name)).strip()).strip("_")
    if not found:
        raise Invalid("O campo `name` deve ter ao menos uma letra sem acento ou um algarismo.", code="name-slug")
    return found


def brand_id_of(name: str) -> str:
    return _BRAND + slug(name)


def model_id_of(brand_id: str, name: str) -> str:
    return f"model_{brand_id.removeprefix(_BRAND)}_{slug(name)}"


def is_id(text: str) -> bool:
    """Any other text is unknown without being looked up."""
    return _ID.fullmatch(text) is not None
