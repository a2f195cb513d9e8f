"""Terms of a query, and the synonym groups that widen them. Each member of a group also finds all other members."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from balcao.search.portuguese.analysis import Token, tokenize

# The weight of a match with a synonym, relative to a match with the word itself.
SYNONYM_WEIGHT = 0.8
# Other words may be between the words of a synonym ("imposto sobre a propriedade").
SYNONYM_SLOP = 2


@dataclass(frozen=True, slots=True)
class Alternative:
    """One way to satisfy a term: all of these roots, next to each other if `is_phrase`."""

    roots: tuple[str, ...]
    weight: float = 1.0
    is_phrase: bool = False
    slop: int = 0


@dataclass(frozen=True, slots=True)
class Term:
    """One idea in a query. A service satisfies it with any alternative, or with a lemma in its name."""

    folded: str
    lemmas: tuple[str, ...]
    alternatives: tuple[Alternative, ...]
    tokens: tuple[Token, ...] = ()


class Synonyms:
    """The synonym groups, indexed by the first root of each member."""

    def __init__(self, groups: Iterable[Iterable[str]] = ()) -> None:
        self._by_first: dict[str, list[tuple[tuple[str, ...], frozenset[tuple[str, ...]]]]] = {}
        # The spelling of each member. A member of several groups has the spelling of the first group.
        self._spellings: dict[tuple[str, ...], str] = {}
        for group in groups:
            written = {tuple(token.roots[0] for token in tokenize(term)): term for term in group}
            members = frozenset(roots for roots in written if roots)
            self._spellings = written | self._spellings
            for roots in members:
                self._by_first.setdefault(roots[0], []).append((roots, members))

    def has(self, token: Token) -> bool:
        """Return whether this word is a member of a group."""
        return any((root,) == member for root in token.roots for member, _ in self._by_first.get(root, ()))

    def list_beginning(self, start: str) -> list[str]:
        """Return the members that are one word with this prefix."""
        return sorted(
            root
            for root, found in self._by_first.items()
            if root.startswith(start) and any(member == (root,) for member, _ in found)
        )

    def widen(self, tokens: Sequence[Token], longest: int = 9) -> list[Term]:
        """Return the terms of adjacent words. The longest run that is a member of a group becomes one term."""
        terms: list[Term] = []
        at = 0
        while at < len(tokens):
            member, others = self._find_longest(tokens, at, longest)
            run = tuple(tokens[at : at + (len(member) or 1)])
            own = [Alternative((root,)) for root in run[0].roots] if len(run) == 1 else [Alternative(member)]
            wider = [
                Alternative(other, SYNONYM_WEIGHT, is_phrase=len(other) > 1, slop=SYNONYM_SLOP)
                for other in sorted(others)
            ]
            lemmas = run[0].lemmas if len(run) == 1 else ()
            terms.append(Term(" ".join(token.folded for token in run), lemmas, (*own, *wider), run))
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

    def _find_longest(
        self, tokens: Sequence[Token], at: int, longest: int
    ) -> tuple[tuple[str, ...], set[tuple[str, ...]]]:
        """Return the longest member at this position, and the other members of its groups."""
        found: tuple[str, ...] = ()
        others: set[tuple[str, ...]] = set()
        for root in tokens[at].roots:
            for member, members in self._by_first.get(root, ()):
                run = tokens[at : at + len(member)]
                if not len(found) <= len(member) == len(run) <= longest:
                    continue
                if all(part in token.roots for part, token in zip(member, run, strict=True)):
                    others = (others if len(member) == len(found) else set()) | (members - {member})
                    found = member
        return found, others
