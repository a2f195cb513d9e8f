"""SQL of what plans change of groups, by operation."""

from collections.abc import Mapping, Sequence

STATEMENTS: Mapping[str, Sequence[str]] = {
    "group.create": (
        """
        INSERT INTO access.grp (id, name, description, attributes, origin, created_by) OVERRIDING SYSTEM VALUE
        SELECT id, item.name, description, attributes, 'custom', author.name FROM item, author
        """,
    ),
    "group.update": (
        """
        UPDATE access.grp SET description = item.description, attributes = item.attributes
        FROM item WHERE grp.id = item.id
        """,
    ),
    "group.assign_role": (
        """
        INSERT INTO access.group_role (group_id, role_id, granted_by)
        SELECT group_id, role_id, author.name FROM item, author
        ON CONFLICT DO NOTHING
        """,
    ),
    "group.remove_role": (
        """
        DELETE FROM access.group_role USING item
        WHERE group_role.group_id = item.group_id AND group_role.role_id = item.role_id
        """,
    ),
    "group.delete": ("DELETE FROM access.grp USING item WHERE grp.id = item.id",),
}
