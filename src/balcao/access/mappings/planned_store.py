"""SQL of what plans change of mappings, by operation."""

from collections.abc import Mapping, Sequence

STATEMENTS: Mapping[str, Sequence[str]] = {
    "mapping.delete": ("DELETE FROM access.endpoint_mapping USING item WHERE endpoint_mapping.id = item.id",),
    "mapping.create": (
        """
        INSERT INTO access.endpoint_mapping (id, method, path_pattern, action_id, description, created_by)
        OVERRIDING SYSTEM VALUE
        SELECT id, method, path_pattern, action_id, description, author.name FROM item, author
        """,
    ),
    "mapping.update": (
        """
        UPDATE access.endpoint_mapping
        SET path_pattern = item.path_pattern, action_id = item.action_id, description = item.description,
            updated_at = now()
        FROM item WHERE endpoint_mapping.id = item.id
        """,
    ),
}
# Of actions that go, their ids in `item`: also mappings that are retired already, which refer to them as well.
OF_ACTIONS = (
    """
    DELETE FROM access.endpoint_mapping USING item
    WHERE endpoint_mapping.action_id = item.id AND (operation_key IS NULL OR retired_at IS NOT NULL)
    """,
)
