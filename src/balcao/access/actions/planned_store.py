"""SQL of what plans change of actions, by operation. First all take a name that none can have: two may swap theirs."""

from collections.abc import Mapping, Sequence

STATEMENTS: Mapping[str, Sequence[str]] = {
    "action.update": (
        "UPDATE access.action SET name = 'aside ' || action.id FROM item WHERE action.id = item.id",
        """
        UPDATE access.action
        SET name = item.name, description = item.description, row_version = row_version + 1, updated_at = now()
        FROM item WHERE action.id = item.id
        """,
    ),
    "action.create": (
        """
        INSERT INTO access.action (id, name, description, origin, created_by) OVERRIDING SYSTEM VALUE
        SELECT id, item.name, description, 'custom', author.name FROM item, author
        """,
    ),
    "action.delete": ("DELETE FROM access.action USING item WHERE action.id = item.id",),
}
