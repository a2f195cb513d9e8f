SELECT groups, roles, people FROM access.snapshot_people()
