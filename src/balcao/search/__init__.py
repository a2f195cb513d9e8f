"""Search administration: the catalogue of services, its versions and its migrations."""

from balcao.core.http.dialects import ERROR_TEXT
from balcao.core.service import Demo, Service
from balcao.search import demo
from balcao.search.collection.service import ready
from balcao.search.schema_migrations import api as schema_migrations
from balcao.search.schema_migrations.jobs import JOBS
from balcao.search.versions import api as versions

SERVICE = Service(
    name="search",
    prefix="/search",
    title="Balcão: administração da busca",
    package=__name__,
    routes=[*versions.ROUTES, *schema_migrations.ROUTES],
    dialects={"": ERROR_TEXT},
    tags=["versions", "migration"],
    jobs=JOBS,
    ready=ready,
    demo=Demo(load=demo.load, examples=demo.examples),
)
