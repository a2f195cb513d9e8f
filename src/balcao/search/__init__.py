"""Search administration: the catalogue of services, its versions and its migrations."""

from balcao.core.http.dialects import ERROR_TEXT
from balcao.core.service import Service
from balcao.search.catalogue.api import FEATURE as CATALOGUE
from balcao.search.categories.api import FEATURE as CATEGORIES
from balcao.search.change_feed.api import FEATURE as CHANGE_FEED
from balcao.search.collection.feature import FEATURE as COLLECTION
from balcao.search.control_queries.api import FEATURE as CONTROL_QUERIES
from balcao.search.feedback.api import FEATURE as FEEDBACK
from balcao.search.health.api import FEATURE as HEALTH
from balcao.search.health.service import check_readiness
from balcao.search.index.feature import FEATURE as INDEX
from balcao.search.legacy_mappings.api import FEATURE as LEGACY_MAPPINGS
from balcao.search.lifespan import run_search
from balcao.search.phrases.api import FEATURE as PHRASES
from balcao.search.popularity.feature import FEATURE as POPULARITY
from balcao.search.proposals.api import FEATURE as PROPOSALS
from balcao.search.public_search.api import FEATURE as PUBLIC_SEARCH
from balcao.search.schema_migrations.api import FEATURE as SCHEMA_MIGRATIONS
from balcao.search.services.api import FEATURE as SERVICES
from balcao.search.synonyms.api import FEATURE as SYNONYMS
from balcao.search.versions.api import FEATURE as VERSIONS
from balcao.search.zero_results.api import FEATURE as ZERO_RESULTS

SERVICE = Service(
    name="search",
    prefix="/search",
    title="Balcão: busca de serviços",
    package=__name__,
    features=[
        HEALTH,
        COLLECTION,
        INDEX,
        SERVICES,
        VERSIONS,
        PROPOSALS,
        POPULARITY,
        SYNONYMS,
        PHRASES,
        ZERO_RESULTS,
        PUBLIC_SEARCH,
        CONTROL_QUERIES,
        LEGACY_MAPPINGS,
        CATALOGUE,
        FEEDBACK,
        CHANGE_FEED,
        CATEGORIES,
        SCHEMA_MIGRATIONS,
    ],
    dialects={"": ERROR_TEXT},
    description="Administração do catálogo de serviços e da busca: edição, publicação, versões e migrações do esquema.",
    tags={
        "services": "Os serviços do catálogo, para quem os edita, aprova e publica.",
        "proposals": "As mudanças que se propõem de serviços publicados, até que alguém as publique.",
        "search": "A busca pública dos serviços publicados.",
        "tuning": "O que ajusta a busca: sinônimos, frases das pessoas, buscas de controle, buscas que nada acham.",
        "versions": "As versões de um serviço publicado e o que muda entre elas.",
        "legacy": "Os números dos serviços nos sistemas antigos e o serviço que cada um é agora.",
        "categories": "As categorias e subcategorias do catálogo, e a sua ordem.",
        "catalogue": "Os serviços publicados, como o cidadão os vê.",
        "feedback": "O que as pessoas acham das páginas dos serviços, sem quem o disse.",
        "migration": "As migrações do esquema da busca e sua reversão.",
    },
    lifespan=run_search,
    ready=check_readiness,
    health_paths={},
)
