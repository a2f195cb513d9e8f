"""The jobs that accept applications: list, single jobs, companies, and a feed of new jobs."""
