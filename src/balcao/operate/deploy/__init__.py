"""Generate an installation's files: gateway configuration, units, containers, manifests, and database roles.

The sources are the route table, the operator's answers, and the templates in `templates`.
"""
