"""The pages of the agents, in the order of the navigation."""

from balcao.console.agents import datasets, editing, versions
from balcao.console.declaration import Area, Pages

pages = Pages("agents", "/agentes", [part.pages for part in (versions, editing, datasets)])

AREA = Area("Agentes", 60, pages)
