"""What an operator needs around the processes: gateways, units, containers, manifests, the roles of the database.

Everything is generated, from the route table and from what the operator answers; the texts stand in `templates`.
"""
