"""Import of the national classification of economic activities (CNAE)."""

from balcao.core.imports.declaration import Import
from balcao.registry.city.activities import store
from balcao.registry.city.activities.schemas import ActivityRow

IMPORTS = [Import("cnaes", ActivityRow, store.upsert_activities, from_table=True, key=lambda row: row.id)]
