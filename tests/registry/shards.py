"""Determines whether a statement accesses the rows of one person, of a list of persons, or of any person.

PostgreSQL's own parser parses the statement. Columns that an equality, a join or a subquery makes equal form one class.
A table of persons is bound to a parameter if its `cpf` is in the parameter's class.
"""

import itertools
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from typing import Any

from pglast import ast, parse_sql
from pglast.enums import A_Expr_Kind, BoolExprType

ONE, MANY, ANY_PERSON = "one", "many", "any person"
_LIST = "a list"


@dataclass
class Reach:
    """The reach of a statement. `persons` maps each table of persons to its reach. Table names include their schema."""

    persons: dict[str, str]
    tables: set[str]
    written: set[str]

    @property
    def widest(self) -> str | None:
        """Return the widest reach, or None if the statement uses no table of persons."""
        return max(self.persons.values(), key=[ONE, MANY, ANY_PERSON].index, default=None)


@dataclass
class _Scope:
    """The names that one level of a query defines. `ctes` are the CTEs that this level may refer to."""

    above: "_Scope | None" = None
    names: dict[str, str] = field(default_factory=dict)
    ctes: dict[str, str] = field(default_factory=dict)

    def find(self, name: str) -> str | None:
        return self.names.get(name) or (self.above.find(name) if self.above else None)

    def find_cte(self, name: str) -> str | None:
        return self.ctes.get(name) or (self.above.find_cte(name) if self.above else None)


def _is(node: Any, kind: type) -> bool:
    """Return whether the node is of this type, without narrowing its type for the type checker.

    All members of the narrowed type would be optional.
    """
    return isinstance(node, kind)


class _Reader:
    def __init__(self, persons: Collection[str]) -> None:
        self._persons = persons
        self._classes: dict[str, str] = {}
        self._numbers = itertools.count()
        self._tables: dict[str, str] = {}  # the key is the name of each use of a table
        self.written: set[str] = set()

    def root(self, term: str) -> str:
        while (above := self._classes.get(term, term)) != term:
            term = above
        return term

    def join(self, one: str | None, other: str | None) -> None:
        """Put two terms into one class. If one is a parameter or a list, it becomes the root."""
        if one is None or other is None:
            return
        one, other = self.root(one), self.root(other)
        if one.startswith(("$", _LIST)):
            one, other = other, one
        if one != other:
            self._classes[one] = other

    def reach_of(self, use: str) -> str:
        root = self.root(f"{use}.cpf")
        return ONE if root.startswith("$") else MANY if root == _LIST else ANY_PERSON

    def read(self, node: Any, above: _Scope | None = None, output: str | None = None) -> None:
        """Read a statement. Other queries refer to its columns by the name `output`."""
        scope = _Scope(above)
        for cte in node.withClause.ctes if getattr(node, "withClause", None) else ():
            name = scope.ctes[cte.ctename] = f"{cte.ctename}#{next(self._numbers)}"
            self.read(cte.ctequery, scope, name)
            if cte.aliascolnames:
                for column, target in zip(cte.aliascolnames, cte.ctequery.targetList or (), strict=False):
                    self.join(f"{name}.{column.sval}", self._term(getattr(target, "val", None), scope))
        if _is(node, ast.SelectStmt):
            self._read_select(node, scope, output)
        else:
            self._read_write(node, scope, output)

    def _read_select(self, node: Any, scope: _Scope, output: str | None) -> None:
        if node.larg is not None:
            for part in (node.larg, node.rarg):
                self.read(part, scope, output)
            return
        for item in node.fromClause or ():
            self._read_from(item, scope)
        self._read_condition(node.whereClause, scope)
        self._read_rest(node, scope, {"fromClause", "whereClause", "withClause", "larg", "rarg"})
        self._name_columns(node.targetList, scope, output)

    def _read_write(self, node: Any, scope: _Scope, output: str | None) -> None:
        table = f"{node.relation.schemaname}.{node.relation.relname}"
        self.written.add(table)
        use = self._use(node.relation, scope)
        for item in getattr(node, "fromClause", None) or getattr(node, "usingClause", None) or ():
            self._read_from(item, scope)
        self._read_condition(getattr(node, "whereClause", None), scope)
        if _is(node, ast.InsertStmt) and node.selectStmt is not None:
            columns = [target.name for target in node.cols or ()]
            self._read_source(node.selectStmt, scope, use, columns)
        self._read_rest(
            node, scope, {"relation", "fromClause", "usingClause", "whereClause", "withClause", "selectStmt"}
        )
        returned = node.returningClause.exprs if node.returningClause else ()
        self._name_columns(returned, scope, output)

    def _read_source(self, source: Any, scope: _Scope, use: str, columns: Sequence[str]) -> None:
        if source.valuesLists:
            for row in source.valuesLists:
                for column, value in zip(columns, row, strict=False):
                    self.join(f"{use}.{column}", self._term(value, scope))
                    self._read_anything(value, scope)
            return
        name = f"source#{next(self._numbers)}"
        self.read(source, scope, name)
        for place, column in enumerate(columns):
            self.join(f"{use}.{column}", f"{name}.@{place}")

    def _name_columns(self, targets: Sequence[Any] | None, scope: _Scope, output: str | None) -> None:
        for place, target in enumerate(targets or ()):
            if output is None or not _is(target, ast.ResTarget):
                continue
            value = target.val
            if _is(value, ast.ColumnRef) and _is(value.fields[-1], ast.A_Star):
                names = [value.fields[0].sval] if len(value.fields) > 1 else list(scope.names)
                for name in names:
                    if (found := scope.find(name)) is not None:
                        for column in ("cpf", "key", "owner_cpf"):
                            self.join(f"{output}.{column}", f"{found}.{column}")
                continue
            term = self._term(value, scope)
            own = value.fields[-1].sval if _is(value, ast.ColumnRef) else None
            for name in {target.name or own, f"@{place}"} - {None}:
                self.join(f"{output}.{name}", term)

    def _use(self, item: Any, scope: _Scope) -> str:
        name = item.alias.aliasname if item.alias else item.relname
        use = scope.names[name] = f"{name}#{next(self._numbers)}"
        if item.schemaname:
            self._tables[use] = f"{item.schemaname}.{item.relname}"
        elif (cte := scope.find_cte(item.relname)) is not None:
            for column in ("cpf", "key", "owner_cpf"):
                self.join(f"{use}.{column}", f"{cte}.{column}")
        return use

    def _read_from(self, item: Any, scope: _Scope) -> None:
        if _is(item, ast.RangeVar):
            self._use(item, scope)
        elif _is(item, ast.JoinExpr):
            before = set(scope.names)
            self._read_from(item.larg, scope)
            left = [scope.names[name] for name in scope.names if name not in before]
            before = set(scope.names)
            self._read_from(item.rarg, scope)
            right = [scope.names[name] for name in scope.names if name not in before]
            for column in item.usingClause or ():
                for one, other in itertools.product(left, right):
                    self.join(f"{one}.{column.sval}", f"{other}.{column.sval}")
            self._read_condition(item.quals, scope)
        elif _is(item, ast.RangeSubselect):
            name = item.alias.aliasname if item.alias else "sub"
            use = f"{name}#{next(self._numbers)}"
            self.read(item.subquery, scope, use)
            scope.names[name] = use
        elif _is(item, ast.RangeFunction):
            if item.alias:
                use = scope.names[item.alias.aliasname] = f"{item.alias.aliasname}#{next(self._numbers)}"
                for column in {"cpf", "key", item.alias.aliasname, *(one.sval for one in item.alias.colnames or ())}:
                    self.join(f"{use}.{column}", _LIST)
            self._read_anything(item.functions, scope)

    def _read_condition(self, node: Any, scope: _Scope) -> None:
        """Read the equalities that must hold. Ignore the equalities inside OR and NOT."""
        if _is(node, ast.BoolExpr) and node.boolop == BoolExprType.AND_EXPR:
            for part in node.args:
                self._read_condition(part, scope)
            return
        if _is(node, ast.A_Expr) and node.name[-1].sval == "=":
            one, other = self._term(node.lexpr, scope), self._term(node.rexpr, scope)
            if node.kind == A_Expr_Kind.AEXPR_OP:
                self.join(one, other)
            elif node.kind in {A_Expr_Kind.AEXPR_OP_ANY, A_Expr_Kind.AEXPR_IN}:
                self.join(one, _LIST)
        self._read_anything(node, scope)

    def _term(self, node: Any, scope: _Scope) -> str | None:
        if _is(node, ast.TypeCast):
            return self._term(node.arg, scope)
        if _is(node, ast.ParamRef):
            return f"${node.number}"
        if _is(node, ast.ColumnRef) and not _is(node.fields[-1], ast.A_Star):
            names = [one.sval for one in node.fields]
            if len(names) > 1:
                found = scope.find(names[0])
                return f"{found}.{names[-1]}" if found else None
            level: _Scope | None = scope
            while level is not None:
                persons = [use for use in level.names.values() if self._tables.get(use) in self._persons]
                if names[0] == "cpf" and len(persons) == 1:
                    return f"{persons[0]}.cpf"
                if len(level.names) == 1:
                    return f"{next(iter(level.names.values()))}.{names[0]}"
                if level.names:
                    return None  # ambiguous, but stores qualify columns in joins
                level = level.above
        return None

    def _read_anything(self, node: Any, scope: _Scope) -> None:
        """Read all queries under this node."""
        if isinstance(node, (tuple, list)):
            for part in node:
                self._read_anything(part, scope)
        elif _is(node, ast.SelectStmt):
            self.read(node, scope)
        elif _is(node, ast.Node):
            self._read_rest(node, scope, set())

    def _read_rest(self, node: Any, scope: _Scope, done: Collection[str]) -> None:
        for name in node:
            if name not in done:
                self._read_anything(getattr(node, name), scope)

    def result(self) -> Reach:
        persons: dict[str, str] = {}
        order: Callable[[str], int] = [ONE, MANY, ANY_PERSON].index
        for use, table in self._tables.items():
            if table in self._persons:
                persons[table] = max(persons.get(table, ONE), self.reach_of(use), key=order)
        return Reach(persons, set(self._tables.values()), self.written)


def measure_reach(statement: str, persons: Collection[str]) -> Reach:
    """Return how far a statement reaches into tables with a column `cpf`."""
    reader = _Reader(persons)
    for raw in parse_sql(statement):
        reader.read(raw.stmt)
    return reader.result()
