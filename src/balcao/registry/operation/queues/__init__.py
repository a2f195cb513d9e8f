"""The queue by kinds of jobs, and the recurring ones."""
