"""The developer portal: `/docs` with the guides, the pages of operations and error codes, and the search."""
