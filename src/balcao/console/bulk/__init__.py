"""Long work on many records: begun by a page, done in chunks, shown with its progress wherever the person goes."""
