"""The import of the national classification of economic activities."""

from balcao.core.imports.declaration import Import
from balcao.registry.city.activities import store
from balcao.registry.city.activities.schemas import ActivityRow

IMPORTS = [Import("cnaes", ActivityRow, store.import_rows, from_table=True)]
