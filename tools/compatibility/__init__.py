"""Compare the interface of this tree with that of the last release (docs/explain/compatibility.md)."""
