"""Data for lists of services: frequent services, subjects with their counts, and groups."""

from collections.abc import Sequence

from balcao.site.reading.catalogue import Listed, Snapshot
from balcao.site.wording import Subject, Wording

MOST_FREQUENT = 8  # as many as fit into one row of a wide window


def list_frequent(wording: Wording, snapshot: Snapshot) -> list[Listed]:
    """Return the services that the city's files name as frequent, except sensitive ones."""
    return pick_frequent(wording, [snapshot.by_name.get(name) for name in wording.home.frequent])


def pick_frequent(wording: Wording, services: Sequence[Listed | None]) -> list[Listed]:
    """Return the first services that are not sensitive, at most eight and each only once."""
    found = {service.id: service for service in services if service}.values()
    return [service for service in found if not wording.is_sensitive(service.nome_servico)][:MOST_FREQUENT]


def count_subjects(wording: Wording, snapshot: Snapshot) -> list[tuple[Subject, int]]:
    """Return each subject that has services, with the number of services."""
    return [
        (
            subject,
            sum(
                number
                for (category, subcategory), number in snapshot.subcategory_counts.items()
                if category in subject.categories or subcategory in subject.subcategories
            ),
        )
        for subject in wording.list_subjects(list(snapshot.counts))
    ]


def find_subject(wording: Wording, snapshot: Snapshot, key: str) -> Subject | None:
    """Return the subject with this key. Return None if it has no services and `words.toml` does not name it."""
    known = [*wording.subject, *wording.list_subjects(list(snapshot.counts))]
    return next((subject for subject in known if subject.key == key), None)


def group_by_subcategory(services: Sequence[Listed]) -> list[tuple[str, list[Listed]]]:
    """Group the services by subcategory. The groups are sorted by name. Services without a subcategory come last."""
    groups: dict[str, list[Listed]] = {}
    for service in services:
        groups.setdefault(service.sub_categoria or "", []).append(service)
    return sorted(groups.items(), key=lambda group: (not group[0], group[0].casefold()))
