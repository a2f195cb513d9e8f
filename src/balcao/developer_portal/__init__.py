"""The developer portal below `/docs`: the front page, guides, operation pages, error codes and the search."""
