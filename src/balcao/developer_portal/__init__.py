"""The developer portal under `/docs`: the front page, guides, operation pages, error codes and the search page."""
