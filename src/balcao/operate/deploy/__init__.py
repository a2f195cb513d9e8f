"""Generate an installation's files: gateway configuration, units, containers, manifests, and database roles.

They are generated from the route table and the operator's answers. The templates are in `templates`.
"""
