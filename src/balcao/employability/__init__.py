"""Employability: job listings, resumes and their reference values."""

from balcao.core.http.dialects import CODE_MESSAGE, ERROR_TEXT
from balcao.core.service import Demo, Service
from balcao.employability import demo
from balcao.employability.legacy_jobs import api as legacy_jobs
from balcao.employability.reference_values import api as reference_values
from balcao.employability.resume.behaviours import api as behaviours
from balcao.employability.resume.experiences import api as experiences

SERVICE = Service(
    name="employability",
    prefix="/jobs",
    title="Balcão: empregabilidade",
    package=__name__,
    routes=[*reference_values.ROUTES, *experiences.ROUTES, *behaviours.ROUTES, *legacy_jobs.ROUTES],
    dialects={"": ERROR_TEXT, legacy_jobs.BASE: CODE_MESSAGE},
    tags=["reference-values", "resume", "legacy-jobs"],
    demo=Demo(load=demo.load, examples=demo.examples),
)
