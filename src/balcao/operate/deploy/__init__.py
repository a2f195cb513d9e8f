"""The files around the processes of an installation: gateways, units, containers, manifests, the roles of the database.

They are generated from the route table and the operator's answers. Their texts are in `templates`.
"""
