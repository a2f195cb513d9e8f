"""Access administration: the catalogue of actions, roles, groups and mappings on which every authorisation is based."""

from balcao.access.actions.api import FEATURE as ACTIONS
from balcao.access.audit.api import FEATURE as AUDIT
from balcao.access.calls.api import FEATURE as CALLS
from balcao.access.catalogue.feature import FEATURE as CATALOGUE
from balcao.access.decisions.api import FEATURE as DECISIONS
from balcao.access.documents.api import FEATURE as DOCUMENTS
from balcao.access.groups.api import FEATURE as GROUPS
from balcao.access.mappings.api import FEATURE as MAPPINGS
from balcao.access.ready import check_registration_readiness
from balcao.access.roles.api import FEATURE as ROLES
from balcao.access.seed import service as seed
from balcao.access.seed.feature import FEATURE as SEED
from balcao.access.users.api import FEATURE as USERS
from balcao.core.http.dialects import DETAIL
from balcao.core.http.health import PATHS
from balcao.core.service import Service

SERVICE = Service(
    name="access",
    prefix="/access",
    title="Balcão: administração de acessos",
    package=__name__,
    features=[
        CATALOGUE,
        ACTIONS,
        USERS,
        ROLES,
        GROUPS,
        MAPPINGS,
        DECISIONS,
        DOCUMENTS,
        AUDIT,
        CALLS,
        SEED,
    ],
    dialects={"": DETAIL},
    description="Administração de acessos: as ações que as operações exigem e quem as tem.",
    tags={"acessos": "O catálogo de ações, papéis e grupos."},
    seed=seed.load_seed,
    ready=check_registration_readiness,
    health_paths={**PATHS, "liveness_v1": "/api/v1/healthz", "readiness_v1": "/api/v1/readyz"},
)
