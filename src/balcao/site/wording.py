"""The site's words: subjects, contact and other texts that a city may change, from `words.toml`."""

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Annotated

import msgspec

from balcao.core.values.text import fold_text

# The icon of a category that no subject in `words.toml` contains.
_ANY_ICON = "lista"


class CityNames(msgspec.Struct, frozen=True):
    """The city's name and telephone number, if `site.toml` overrides the settings."""

    name: Annotated[str, msgspec.Meta(max_length=60)] = ""
    phone: Annotated[str, msgspec.Meta(pattern=r"^[0-9+() -]{0,30}$")] = ""


class Colors(msgspec.Struct, frozen=True):
    """The colours of the style sheet that the city changes, for light and for dark pages."""

    light: dict[str, str] = {}
    dark: dict[str, str] = {}


class Contact(msgspec.Struct, frozen=True):
    """The ways to get help, other than the telephone."""

    hours: str
    cost: str
    counter: str
    data_officer: str = ""


class Home(msgspec.Struct, frozen=True):
    """The texts of the first page. `examples` are pairs of a link text and its search text."""

    question: str
    placeholder: str
    examples: list[tuple[str, str]]
    frequent: list[str]


class JobTexts(msgspec.Struct, frozen=True):
    """The texts of the pages of jobs. `apply` says how people apply."""

    apply: str


class HelpTexts(msgspec.Struct, frozen=True):
    """The texts of the help. `questions` are pairs of a question and its answer."""

    questions: list[tuple[str, str]]


class Subject(msgspec.Struct, frozen=True):
    """A subject in citizens' words, and its categories in the catalogue."""

    key: str
    name: str
    hint: str
    icon: str
    categories: list[str]


class Sensitive(msgspec.Struct, frozen=True):
    """The services whose pages have a quick-exit button. `names` are parts of their names."""

    way_out: str
    names: list[str]


class Wording(msgspec.Struct, frozen=True, dict=True):
    """All words of the site. `services` names the data of each service, by the gateway's prefix."""

    contact: Contact
    home: Home
    subject: list[Subject]
    names: dict[str, list[str]]
    say: dict[str, str]
    sensitive: Sensitive
    services: dict[str, str]
    jobs: JobTexts
    help: HelpTexts
    city: CityNames = CityNames()
    colors: Colors = Colors()

    @cached_property
    def _subjects_by_category(self) -> Mapping[str, Subject]:
        return {category: subject for subject in self.subject for category in subject.categories}

    def find_subject(self, category: str) -> Subject:
        """Return the subject of a category. A category that no subject contains becomes a separate subject."""
        return self._subjects_by_category.get(category) or make_subject(category)

    def list_subjects(self, categories: Sequence[str]) -> list[Subject]:
        """Return the subjects of these categories, in the order of the file.

        Categories that no subject contains come last, each as a separate subject.
        """
        present = {self.find_subject(category).key for category in categories}
        own = [make_subject(category) for category in categories if category not in self._subjects_by_category]
        return [subject for subject in self.subject if subject.key in present] + own

    def say_instead(self, text: str) -> str:
        """Return the replacement for a text of a service, or the text itself if `words.toml` has none."""
        return self.say.get(text, text)

    def is_sensitive(self, name: str) -> bool:
        """Return whether a service name is sensitive.

        The page of a sensitive service has a quick-exit button. The lists of frequent services omit the service.
        """
        folded = fold_text(name)
        return any(fold_text(part) in folded for part in self.sensitive.names)


def make_subject(category: str) -> Subject:
    """Make the subject of a category that no subject in `words.toml` contains."""
    key = "-".join("".join(sign if sign.isalnum() else " " for sign in fold_text(category)).split())
    return Subject(key, category, "", _ANY_ICON, [category])
