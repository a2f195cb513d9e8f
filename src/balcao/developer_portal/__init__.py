"""The developer portal: `/docs`, the guides, the pages of operations and error codes, and the search."""
