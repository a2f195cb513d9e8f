"""Jobs, as staff keep them."""

from balcao.core.feature import Demo, Feature
from balcao.employability.hiring.listings import api, demo, views_store
from balcao.employability.hiring.listings.imports import IMPORTS

FEATURE = Feature(
    routes=api.routes.declared, imports=IMPORTS, demo=Demo(demo.load, demo.examples), exports=views_store.EXPORTS
)
