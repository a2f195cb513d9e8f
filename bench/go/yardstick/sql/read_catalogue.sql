SELECT access.snapshot_since(0, 0)
