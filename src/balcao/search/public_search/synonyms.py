"""Terms of a query, and the synonym groups that widen them. Each member of a group also finds all other members."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import msgspec

from balcao.search.portuguese.analysis import Token, tokenize

# The weight of a match with a synonym, relative to a match with the word itself.
SYNONYM_WEIGHT = 0.8
# How many other words may occur between the words of a synonym ("imposto sobre a propriedade").
SYNONYM_SLOP = 2


class Alternative(msgspec.Struct, frozen=True):
    """One way to satisfy a term: all of these roots, next to each other if `is_phrase`."""

    roots: tuple[str, ...]
    weight: float = 1.0
    is_phrase: bool = False
    slop: int = 0


class Term(msgspec.Struct, frozen=True):
    """One idea in a query. A service satisfies it with any alternative, or with a lemma in its name."""

    folded: str
    lemmas: tuple[str, ...]
    alternatives: tuple[Alternative, ...]
    tokens: tuple[Token, ...] = ()


class _Member(NamedTuple):
    """A member of a group. `others` are the other members, sorted by their roots."""

    roots: tuple[str, ...]
    others: tuple[Alternative, ...]


class Synonyms:
    """The synonym groups, indexed by the first root of each member."""

    def __init__(self, groups: Iterable[Iterable[str]] = ()) -> None:
        self._by_first: dict[str, list[_Member]] = {}
        # The spelling of each member. A member of several groups has its spelling in the first group.
        self._spellings: dict[tuple[str, ...], str] = {}
        for group in groups:
            written = {tuple(token.roots[0] for token in tokenize(term)): term for term in group}
            self._spellings = written | self._spellings
            members = sorted(roots for roots in written if roots)
            wider = [Alternative(roots, SYNONYM_WEIGHT, len(roots) > 1, SYNONYM_SLOP) for roots in members]
            for roots in members:
                others = tuple(each for each in wider if each.roots != roots)
                self._by_first.setdefault(roots[0], []).append(_Member(roots, others))

    def has(self, token: Token) -> bool:
        """Return whether this word is a member of a group."""
        return any((root,) == member.roots for root in token.roots for member in self._by_first.get(root, ()))

    def list_beginning(self, start: str) -> list[str]:
        """Return the members that are one word with this prefix."""
        return sorted(
            root
            for root, found in self._by_first.items()
            if root.startswith(start) and any(member.roots == (root,) for member in found)
        )

    def widen(self, tokens: Sequence[Token], longest: int = 9) -> list[Term]:
        """Return the terms of adjacent words.

        The longest sequence of words that is a member of a group becomes one term.
        """
        terms: list[Term] = []
        at = 0
        while at < len(tokens):
            found = self._find_longest(tokens, at, longest)
            member = found[-1].roots if found else ()
            run = tuple(tokens[at : at + (len(member) or 1)])
            own = [Alternative((root,)) for root in run[0].roots] if len(run) == 1 else [Alternative(member)]
            lemmas = run[0].lemmas if len(run) == 1 else ()
            terms.append(Term(" ".join(token.folded for token in run), lemmas, (*own, *_join_others(found)), run))
            at += len(run)
        return terms

    def list_spellings(self, tokens: Sequence[Token]) -> list[list[str]]:
        """Return the synonyms of each term of adjacent words, in the spelling of the groups."""
        return [
            [self._spellings[each.roots] for each in term.alternatives if each.weight == SYNONYM_WEIGHT]
            for term in self.widen(tokens)
        ]

    def split(self, term: Term) -> list[Term]:
        """Split a term into terms of one word."""
        return self.widen(term.tokens, longest=1) if len(term.tokens) > 1 else [term]

    def _find_longest(self, tokens: Sequence[Token], at: int, longest: int) -> list[_Member]:
        """Return the longest members at this position.

        There may be several of equal length, because a member can belong to several groups and a word can have several
        readings.
        """
        found: list[_Member] = []
        length = 1
        for root in tokens[at].roots:
            for member in self._by_first.get(root, ()):
                run = tokens[at : at + len(member.roots)]
                if not length <= len(member.roots) == len(run) <= longest:
                    continue
                if all(part in token.roots for part, token in zip(member.roots, run, strict=True)):
                    found = [*found, member] if len(run) == length else [member]
                    length = len(run)
        return found


def _join_others(members: Sequence[_Member]) -> Sequence[Alternative]:
    """Return the other members of all these groups, each one once, sorted by their roots."""
    if len(members) < 2:
        return members[0].others if members else ()
    others = {each.roots: each for member in members for each in member.others}
    return [others[roots] for roots in sorted(others)]
