"""SQL of what plans change of roles, by operation."""

from collections.abc import Mapping, Sequence

STATEMENTS: Mapping[str, Sequence[str]] = {
    "role.create": (
        """
        INSERT INTO access.role (id, name, description, origin, created_by) OVERRIDING SYSTEM VALUE
        SELECT id, item.name, description, 'custom', author.name FROM item, author
        """,
    ),
    "role.update": ("UPDATE access.role SET description = item.description FROM item WHERE role.id = item.id",),
    "role.grant": (
        """
        INSERT INTO access.role_action (role_id, action_id, granted_by)
        SELECT role_id, action_id, author.name FROM item, author
        ON CONFLICT DO NOTHING
        """,
    ),
    "role.revoke": (
        """
        DELETE FROM access.role_action USING item
        WHERE role_action.role_id = item.role_id AND role_action.action_id = item.action_id
        """,
    ),
    "role.delete": ("DELETE FROM access.role USING item WHERE role.id = item.id",),
}
