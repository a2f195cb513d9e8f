"""The site's wording from `words.toml`: subjects, contact details and other strings that a city may change."""

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Annotated

import msgspec

from balcao.core.values.text import fold_text

# The icon for a category that does not belong to any subject in `words.toml`.
_ANY_ICON = "lista"


class CityNames(msgspec.Struct, frozen=True):
    """The city's name and telephone number, if `site.toml` overrides the ones in the settings."""

    name: Annotated[str, msgspec.Meta(max_length=60)] = ""
    phone: Annotated[str, msgspec.Meta(pattern=r"^[0-9+() -]{0,30}$")] = ""


class Colors(msgspec.Struct, frozen=True):
    """The style sheet colours that the city changes, for light and for dark pages."""

    light: dict[str, str] = {}
    dark: dict[str, str] = {}


class Contact(msgspec.Struct, frozen=True):
    """The ways to get help, apart from the telephone."""

    hours: str
    cost: str
    counter: str
    data_officer: str = ""


class Home(msgspec.Struct, frozen=True):
    """The texts on the first page. `examples` are (link text, search text) pairs."""

    question: str
    placeholder: str
    examples: list[tuple[str, str]]
    frequent: list[str]


class JobTexts(msgspec.Struct, frozen=True):
    """The texts on the pages for jobs. `apply` explains how people apply."""

    apply: str


class HelpTexts(msgspec.Struct, frozen=True):
    """The texts on the help page. `questions` are (question, answer) pairs."""

    questions: list[tuple[str, str]]


class Subject(msgspec.Struct, frozen=True):
    """A subject in words that citizens use, and its categories in the catalogue.

    `subcategories` name further services, which also belong to another subject.
    """

    key: str
    name: str
    hint: str
    icon: str
    categories: list[str]
    subcategories: list[str] = []


class Sensitive(msgspec.Struct, frozen=True):
    """The services whose pages have a quick-exit button. Each item in `names` is a part of a service's name."""

    way_out: str
    names: list[str]


class Wording(msgspec.Struct, frozen=True, dict=True):
    """All texts of the site. `services` maps each service's path prefix to a name for its data."""

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
        """Return the subject for a category.

        A category that does not belong to any subject becomes a separate subject.
        """
        return self._subjects_by_category.get(category) or make_subject(category)

    def list_subjects(self, categories: Sequence[str]) -> list[Subject]:
        """Return the subjects for these categories, in the order of the file.

        Categories that do not belong to any subject come last, each as a separate subject.
        """
        present = {self.find_subject(category).key for category in categories}
        own = [make_subject(category) for category in categories if category not in self._subjects_by_category]
        return [subject for subject in self.subject if subject.key in present] + own

    def say_instead(self, text: str) -> str:
        """Return the replacement for a phrase from a service, or the phrase if `words.toml` has no replacement."""
        return self.say.get(text, text)

    def is_sensitive(self, name: str) -> bool:
        """Return whether the name belongs to a sensitive service.

        The page of a sensitive service has a quick-exit button, and the lists of frequent services omit the service.
        """
        folded = fold_text(name)
        return any(fold_text(part) in folded for part in self.sensitive.names)


def make_subject(category: str) -> Subject:
    """Make a subject for a category that does not belong to any subject in `words.toml`."""
    key = "-".join("".join(sign if sign.isalnum() else " " for sign in fold_text(category)).split())
    return Subject(key, category, "", _ANY_ICON, [category])
