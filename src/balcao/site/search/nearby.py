"""Suggestions for a search without results, and the other names of a service that match a search."""

from collections import Counter

from balcao.core.values.text import fold_text
from balcao.site.reading.catalogue import Snapshot
from balcao.site.services.views import count_subjects
from balcao.site.wording import Subject, Wording

_MOST_WORDS, _MOST_SUBJECTS = 3, 4
_SHORTEST_WORD = 4
# Words whose first letters are equal up to this length are usually related.
_STEM = 5
_MOST_NAMES, _SHORTEST_NAME = 2, 3
# Words that the search ignores, so a search for only one of them finds nothing.
_STOP_WORDS = frozenset(
    "umas numa pelo pela pelos pelas para pras sobre entre minha meus minhas nosso nossa nossos nossas seus suas "
    "voce voces isso isto aquilo esse essa esses essas este esta estes estas aquele aquela mais muito cada como quando "
    "quanto onde qual quais quem estar estao tenho sendo tambem nesse nessa neste nesta desse dessa deste desta dele "
    "dela deles delas algum alguma todo toda todos todas tudo qualquer ainda".split()
)


def list_shorter(text: str) -> list[str]:
    """Return up to three of the longest words in a search, in their order, without stop words.

    Return [] for a single word.
    """
    words = [word for word in dict.fromkeys(text.split()) if _is_telling(word)]
    longest = sorted(words, key=len, reverse=True)[:_MOST_WORDS]
    return [word for word in words if word in longest] if len(text.split()) > 1 else []


def list_near_subjects(wording: Wording, snapshot: Snapshot | None, text: str) -> list[tuple[Subject, int | None]]:
    """Return up to four subjects, each with its number of services.

    Subjects whose texts or services share words with the search come first. Then come the subjects with the most
    services.
    """
    stems = {fold_text(word)[:_STEM] for word in text.split()[:20] if _is_telling(word)}
    if snapshot is None:
        return [(subject, None) for subject in wording.subject[:_MOST_SUBJECTS]]
    scores: Counter[str] = Counter()
    for service in snapshot.services:
        folded = fold_text(service.nome_servico)
        if any(stem in folded for stem in stems):
            scores[wording.find_subject(service.tema_geral).key] += 1
    for subject in wording.subject:
        folded = fold_text(f"{subject.name} {subject.hint}")
        scores[subject.key] += 5 * sum(stem in folded for stem in stems)
    counted = sorted(count_subjects(wording, snapshot), key=lambda one: (-scores[one[0].key], -one[1]))
    return list(counted[:_MOST_SUBJECTS])


def list_matching_names(wording: Wording, title: str, text: str) -> list[str]:
    """Return up to two other names of a service that contain a word of the search which its title does not contain."""
    words = {fold_text(word) for word in text.split() if len(word) >= _SHORTEST_NAME} - _STOP_WORDS
    missing = words - set(fold_text(title).split())
    return [name for name in wording.names.get(title, []) if missing & set(fold_text(name).split())][:_MOST_NAMES]


def _is_telling(word: str) -> bool:
    """Return whether a word says enough to be searched for by itself."""
    return len(word) >= _SHORTEST_WORD and fold_text(word) not in _STOP_WORDS
