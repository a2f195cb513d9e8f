"""The jobs that accept applications: the list, single jobs, companies, and a feed of new jobs."""

from balcao.site.jobs.pages import AREA

__all__ = ["AREA"]
