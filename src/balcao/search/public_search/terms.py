"""What a query asks for: words, phrases, exclusions and alternatives; everything else in it is plain text.

Pure rules without SQL and HTTP (rules: search 4.6, query).
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from balcao.core.values.text import has_control

MOST_TERMS = 32
LISTS_ALL = "*"
_ALTERNATIVE = "OR"
# How people ask, not what for: they count only where a query says nothing else. In canonical form.
ASKING = frozenset(
    "quero queria querer gostaria preciso precisa precisar faco fazer faz posso pode poder saber sei favor tirar"
    " conseguir consigo estou vou tenho oi ola pfv pf".split()
)
_PART = re.compile(r'(-?)"([^"]*)"|(\S+)')


@dataclass(frozen=True, slots=True)
class Word:
    """A word as `search.fold` leaves it; `lexeme` is None for a stop word."""

    folded: str
    lexeme: str | None


# What each piece of text that the database has folded consists of.
Words = Mapping[str, Sequence[Word]]


@dataclass(frozen=True, slots=True)
class Part:
    """A piece of the query as typed."""

    text: str
    is_phrase: bool = False
    is_excluded: bool = False
    is_alternative: bool = False  # to the part before it


def split_query(query: str) -> list[Part]:
    """Split a query into its parts; whatever is no operator is text."""
    text = "".join(" " if has_control(char, allowed="") else char for char in query)
    parts: list[Part] = []
    follows_or = False
    for sign, phrase, plain in _PART.findall(text):
        if plain == _ALTERNATIVE and parts and not parts[-1].is_excluded:
            follows_or = True
            continue
        is_excluded = bool(sign) or (plain.startswith("-") and len(plain) > 1)
        word = plain.removeprefix("-") if is_excluded else plain
        is_alternative = follows_or and not is_excluded
        parts.append(Part(phrase or word, bool(phrase), is_excluded, is_alternative))
        follows_or = False
    return parts


@dataclass(frozen=True, slots=True)
class Alternative:
    """One way to meet a term: all of these lexemes, side by side where `is_phrase`."""

    lexemes: tuple[str, ...]
    is_phrase: bool = False


@dataclass(frozen=True, slots=True)
class Term:
    """What a service must have: one of the alternatives. Those in `wider` count less."""

    exact: tuple[Alternative, ...]
    wider: tuple[Alternative, ...] = ()

    @property
    def lexemes(self) -> Iterator[str]:
        for alternative in (*self.exact, *self.wider):
            yield from alternative.lexemes


# Words of which the stemmer makes one, though they are none; in canonical form. Each stands apart from the others' row.
NAMESAKES = (
    ({"medico", "medica"}, {"medicamento", "medicacao"}),
    ({"casa"}, {"casamento"}),
    ({"poste"}, {"posto"}),
    ({"muda"}, {"mudanca"}),
)


@dataclass(frozen=True, slots=True)
class ParsedQuery:
    """`folded` is the plain text of what is looked for, in canonical form, stop words included.

    `words` are the plain ones; `last_word` is the last of the query if it is plain, for it may be typed only in part.
    """

    terms: tuple[Term, ...]
    excluded: tuple[Alternative, ...] = ()
    folded: str = ""
    words: tuple[Word, ...] = ()
    last_word: Word | None = None

    @property
    def lexemes(self) -> frozenset[str]:
        """Return every lexeme that a highlight marks."""
        return frozenset(lexeme for term in self.terms for lexeme in term.lexemes)

    @property
    def apart(self) -> tuple[tuple[str, str], ...]:
        """Return, as patterns, what a folded name must have where it has a namesake of a word, and the namesakes."""
        typed = {word.folded for word in self.words}
        return tuple(
            (_write_words(own), _write_words(other))
            for pair in NAMESAKES
            for own, other in (pair, pair[::-1])
            if typed & own and not typed & other
        )


def parse_query(parts: Sequence[Part], words: Words) -> ParsedQuery:
    """Return what the parts ask for; `words` has the text of each. At most 32 terms count."""
    terms: list[Term] = []
    excluded: list[Alternative] = []
    folded: list[str] = []
    plain: list[Word] = []
    last_word: Word | None = None
    says_something = any(_says_something(part, words) for part in parts)
    for part in parts:
        found = words[part.text]
        lexemes = tuple(
            word.lexeme
            for word in found
            if word.lexeme is not None and (part.is_phrase or not says_something or word.folded not in ASKING)
        )
        if part.is_excluded:
            excluded += [Alternative(lexemes, part.is_phrase)] if lexemes else []
            continue
        if not found:
            continue
        folded += [word.folded for word in found]
        plain += [] if part.is_phrase else found
        last_word = None if part.is_phrase else found[-1]
        if not lexemes:
            continue
        if part.is_alternative and terms:
            terms[-1] = Term((*terms[-1].exact, Alternative(lexemes, part.is_phrase)))
        elif part.is_phrase:
            terms.append(Term((Alternative(lexemes, is_phrase=True),)))
        else:
            terms += [Term((Alternative((lexeme,)),)) for lexeme in lexemes]
    return ParsedQuery(
        tuple(terms[:MOST_TERMS]),
        tuple(excluded[:MOST_TERMS]),
        " ".join(folded),
        tuple(plain[:MOST_TERMS]),
        last_word if len(terms) <= MOST_TERMS else None,
    )


def _write_words(words: Iterable[str]) -> str:
    return rf"\m({'|'.join(sorted(words))})\M"


def _says_something(part: Part, words: Words) -> bool:
    return not part.is_excluded and any(
        word.lexeme is not None and (part.is_phrase or word.folded not in ASKING) for word in words[part.text]
    )


# A term of a synonym group as its lexemes, and the whole group.
Synonym = tuple[tuple[str, ...], frozenset[tuple[str, ...]]]
# The synonyms by their first lexeme.
Synonyms = Mapping[str, Sequence[Synonym]]


def index_synonyms(groups: Iterable[frozenset[tuple[str, ...]]]) -> Synonyms:
    """Return the terms of all groups by the word that they begin with."""
    index: dict[str, list[Synonym]] = {}
    for group in groups:
        for sequence in group:
            index.setdefault(sequence[0], []).append((sequence, group))
    return index


def widen_query(query: ParsedQuery, synonyms: Synonyms) -> ParsedQuery:
    """Return the query with each run of words that is in a synonym group widened to the others of the group."""
    terms: list[Term] = []
    at = 0
    while at < len(query.terms):
        plain = _list_plain(query.terms[at:])
        matching = (
            [entry for entry in synonyms.get(plain[0], ()) if plain[: len(entry[0])] == entry[0]] if plain else []
        )
        if not matching:
            terms.append(query.terms[at])
            at += 1
            continue
        longest = max((sequence for sequence, _ in matching), key=len)
        others = {other for sequence, group in matching if sequence == longest for other in group if other != longest}
        wider = tuple(Alternative(other, is_phrase=len(other) > 1) for other in sorted(others))
        terms.append(Term((Alternative(longest),), wider))
        at += len(longest)
    return replace(query, terms=tuple(terms))


def _list_plain(terms: Sequence[Term]) -> tuple[str, ...]:
    """Return the lexemes of the single words that these terms begin with."""
    plain: list[str] = []
    for term in terms:
        if len(term.exact) != 1 or term.wider or len(term.exact[0].lexemes) != 1:
            break
        plain.append(term.exact[0].lexemes[0])
    return tuple(plain)
