"""The pages of the agents, in the order of the navigation."""

from balcao.console.agents import datasets, editing, versions
from balcao.console.declaration import Area, Pages

pages = Pages("agents", "/agentes")
for part in (versions, editing, datasets):
    pages.declared += part.pages.declared

AREA = Area("Agentes", 60, pages)
